import { freePort, projectRoot, searchPath } from '#platform';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

/** A suite that needs the `nginx` program. Where there is none it is reported as skipped, under its name. */
export function describeWithNginx(name: string, suite: (program: string) => void): void {
  const program = onPath('nginx');
  if (program === undefined) describe.skip(`${name} (needs nginx)`, () => suite(''));
  else describe(name, () => suite(program));
}

/** An nginx in front of the APIs, twice: with the settings of deploy/nginx, and with those that nginx has by itself. */
export class Nginx {
  private constructor(
    readonly deployedUrl: string,
    readonly plainUrl: string,
    private readonly child: ChildProcess,
    private readonly folder: string,
  ) {}

  /** `readTimeoutS`: how long the second waits for a sign of life; everything else of it, and that too by default, is nginx's own. */
  static async before(program: string, apiUrls: readonly string[], readTimeoutS?: number): Promise<Nginx> {
    const [deployed, plain] = [await freePort(), await freePort()];
    const folder = await mkdtemp(join(tmpdir(), 'chorus-nginx-'));
    const configuration = join(folder, 'nginx.conf');
    await writeFile(configuration, await configurationOf(folder, deployed, plain, apiUrls, readTimeoutS));
    // One process: as root, nginx's workers would be another account, which may not read the folder.
    const args = ['-p', folder, '-e', 'stderr', '-c', configuration, '-g', 'daemon off; master_process off;'];
    const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'inherit'] });
    process.once('exit', () => child.kill('SIGKILL'));
    const nginx = new Nginx(`http://127.0.0.1:${deployed}`, `http://127.0.0.1:${plain}`, child, folder);
    await nginx.#ready();
    return nginx;
  }

  async stop(): Promise<void> {
    if (this.child.exitCode === null) {
      const exited = once(this.child, 'exit');
      this.child.kill('SIGTERM');
      await exited;
    }
    await rm(this.folder, { recursive: true });
  }

  async #ready(): Promise<void> {
    for (let tries = 0; tries < 200; tries += 1) {
      if (this.child.exitCode !== null) throw new Error(`nginx ended with ${this.child.exitCode}`);
      if (await fetch(`${this.plainUrl}/readyz`).catch(() => undefined)) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error('nginx does not listen');
  }
}

async function configurationOf(
  folder: string,
  deployed: number,
  plain: number,
  apiUrls: readonly string[],
  readTimeoutS: number | undefined,
): Promise<string> {
  const upstream = `upstream apis { ${apiUrls.map((url) => `server ${new URL(url).host};`).join(' ')} }`;
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((kind) => `${kind}_temp_path ${join(folder, kind)};`);
  const timeout = readTimeoutS === undefined ? '' : `proxy_read_timeout ${readTimeoutS}s;`;
  const server = `server { listen 127.0.0.1:${plain}; location / { proxy_pass http://apis; ${timeout} } }`;
  const changes: [string, string][] = [
    ['worker_processes auto;', ''],
    ['error_log stderr warn;', 'error_log stderr crit;'],
    ['pid /tmp/nginx.pid;', `pid ${join(folder, 'nginx.pid')};`],
    ['listen 8080;', `listen 127.0.0.1:${deployed};`],
    ['http://api:3000', 'http://apis'],
    ['http {', `http {\n${[...paths, upstream, server].join('\n')}`],
  ];
  const shipped = await readFile(join(projectRoot, 'deploy', 'nginx', 'nginx.conf'), 'utf8');
  return changes.reduce((text, [from, to]) => {
    if (!text.includes(from)) throw new Error(`deploy/nginx/nginx.conf no longer has "${from}"`);
    return text.replace(from, to);
  }, shipped);
}

function onPath(name: string): string | undefined {
  for (const folder of [...(searchPath()?.split(delimiter) ?? []), '/usr/sbin', '/usr/local/sbin']) {
    try {
      accessSync(join(folder, name), constants.X_OK);
      return join(folder, name);
    } catch {
      // Not here.
    }
  }
  return undefined;
}
