import { createTestDatabase, testPostgresUrl } from '#testing';
import { freePort, projectRoot, searchPath } from '#platform';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

const MAIN = join(projectRoot, 'dist', 'apps', 'cli', 'src', 'main.js');

interface Up {
  readonly child: ChildProcess;
  readonly output: () => string;
  readonly exited: Promise<number | null>;
}

describe('chorus up', () => {
  let folder = '';
  const running = new Set<ChildProcess>();

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'chorus up '));
    chmodSync(folder, 0o711);
  });
  afterEach(async () => {
    for (const child of running) child.kill('SIGKILL');
    await until(() => processesOf(folder).length === 0);
    rmSync(folder, { recursive: true });
  });

  const start = (args: readonly string[], env: Record<string, string> = {}): Up =>
    run(['up', '--data', folder, '--workers', '1', ...args], env);

  const run = (args: readonly string[], env: Record<string, string>): Up => {
    const child = spawn(process.execPath, [MAIN, ...args], {
      env: { PATH: searchPath(), GRPC_PORT: '0', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    running.add(child);
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const exited = once(child, 'close').then(([code]: unknown[]) => {
      running.delete(child);
      return code as number | null;
    });
    return { child, output: () => output, exited };
  };

  const started = async (port: number): Promise<Up> => {
    const up = start(['--port', String(port)]);
    await until(() => up.output().includes('Chorus runs.') || !running.has(up.child));
    expect(up.output()).toContain('Chorus runs.');
    return up;
  };

  it('answers, keeps its data over a kill of everything, and leaves nothing when it is stopped', async () => {
    const port = await freePort();
    const first = await started(port);
    const task = await send(port, 'before');
    first.child.kill('SIGKILL');
    await first.exited;
    const leftByFirst = processesOf(folder);
    const second = await started(port);
    expect(await getTask(port, task)).toContain('before');
    second.child.kill('SIGINT');
    expect(await second.exited).toBe(0);
    expect(processesOf(folder).filter((pid) => !leftByFirst.includes(pid))).toEqual([]);
    await until(() => processesOf(folder).length === 0);
  });

  it('has every process that it started end when it is killed itself', async () => {
    const { child, exited } = await started(await freePort());
    expect(processesOf(folder).length).toBeGreaterThan(1);
    child.kill('SIGKILL');
    await exited;
    await until(() => processesOf(folder).length === 0);
  });

  it('refuses a folder that another uses, in one line', async () => {
    const first = await started(await freePort());
    const second = start(['--port', '0']);
    expect(await second.exited).toBe(1);
    expect(second.output()).toMatch(/^chorus: Another Chorus \(process \d+\) uses .*--data\n$/);
    first.child.kill('SIGTERM');
    expect(await first.exited).toBe(0);
  });

  it('refuses a taken port, in one line', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    const up = start(['--port', String(port)]);
    expect(await up.exited).toBe(1);
    expect(up.output()).toBe(`chorus: Port ${port} on 127.0.0.1 is taken: end what uses it, or choose another with --port\n`);
    const database = await createTestDatabase(testPostgresUrl());
    for (const args of [
      ['up', '--data', folder, '--port', '0'],
      ['api', '--port', '0'],
    ]) {
      const other = run(args, { GRPC_PORT: String(port), DATABASE_URL: database.url, LOG_LEVEL: 'warn' });
      expect(await other.exited).toBe(1);
      expect(other.output()).toBe(
        `chorus: Port ${port} on 127.0.0.1 is taken: end what uses it, or choose another with GRPC_PORT\n`,
      );
    }
    await database.drop();
    server.close();
  });

  it.each([
    [
      'a wrong allow-list',
      { CHORUS_OUTBOUND_ALLOW: '10.0.0.0/99' },
      /^chorus: CHORUS_OUTBOUND_ALLOW: "10\.0\.0\.0\/99" is not a host name.*\n$/,
    ],
    ['a wrong setting', { LEASE_MS: '1000' }, /^chorus: LEASE_MS \(1000\) is less than twice HEARTBEAT_MS \(3000\).*\n$/],
    [
      'a database that is not there',
      { DATABASE_URL: 'postgres://u:hunter2@127.0.0.1:9/x' },
      /^chorus: DATABASE_URL cannot be reached at 127.0.0.1:9 \(nothing answers there\).*correct DATABASE_URL\n$/,
    ],
    [
      'a Redis that is not there',
      { REDIS_URL: 'redis://:hunter2@127.0.0.1:9' },
      /^chorus: REDIS_URL cannot be reached at 127.0.0.1:9 \(nothing answers there\).*correct REDIS_URL\n$/,
    ],
    [
      'a host that is not there',
      { REDIS_URL: 'redis://:hunter2@redis.invalid' },
      /^chorus: REDIS_URL cannot be reached at redis.invalid:6379 \((there is no host of that name|the name cannot be looked up now)\).*\n$/,
    ],
  ])('is told of %s in one line, and leaves nothing, not even a folder', async (_what, env, line) => {
    const up = start(['--port', '0', '--data', join(folder, 'data')], env as Record<string, string>);
    expect(await up.exited).toBe(1);
    expect(up.output()).toMatch(line);
    expect(up.output()).not.toContain('hunter2');
    expect(readdirSync(folder)).toEqual([]);
    expect(processesOf(folder)).toEqual([]);
  });

  it.each([
    ['up', ['up', '--port', '0', '--workers', '1']],
    ['api', ['api', '--port', '0']],
    ['worker', ['worker']],
    ['migrate', ['migrate']],
  ])('%s without a database says which server it is that cannot be reached, and nothing else', async (_, args) => {
    for (const [url, where, why] of [
      ['postgres://u:hunter2@127.0.0.1:9/x', / at 127\.0\.0\.1:9 /, '(nothing answers there)'],
      [
        'postgres://u:hunter2@db.invalid/x',
        / at db\.invalid(:5432)? /,
        /\((there is no host of that name|the name cannot be looked up now)\)/,
      ],
    ] as const) {
      const { exited, output } = run(args, { DATABASE_URL: url, CHORUS_DATA_DIR: join(folder, 'data'), LOG_LEVEL: 'info' });
      expect(await exited).toBe(1);
      expect(output()).toMatch(/^chorus: .*correct DATABASE_URL\n$/);
      expect(output()).toMatch(where);
      expect(output()).toMatch(why);
      expect(output()).not.toMatch(/hunter2|Redis/i);
    }
  });

  it('is told of an agents folder that is not there in one line, and leaves no process', async () => {
    const up = start(['--port', '0'], { CHORUS_AGENTS: '/nowhere' });
    expect(await up.exited).toBe(1);
    expect(up.output()).toMatch(/^chorus: The agents' folder or file \/nowhere is not there\n$/);
    expect(processesOf(folder)).toEqual([]);
  });

  it('refuses a database that is newer than the code, in one line', async () => {
    const database = await createTestDatabase(testPostgresUrl());
    const client = new pg.Client(database.url);
    await client.connect();
    await client.query(
      `insert into _prisma_migrations (id, checksum, finished_at, migration_name) values ('x', 'x', now(), '29990101000000_later')`,
    );
    await client.end();
    const up = start(['--port', '0'], { DATABASE_URL: database.url });
    expect(await up.exited).toBe(1);
    expect(up.output()).toMatch(
      /^chorus: The database is newer than this code \(it has the migration 29990101000000_later\).*\n$/,
    );
    await database.drop();
  });
});

/** Processes of which the command line or the environment names `folder`, this one excepted. */
function processesOf(folder: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((name) => {
      try {
        return [`/proc/${name}/cmdline`, `/proc/${name}/environ`].some((file) => readFileSync(file, 'utf8').includes(folder));
      } catch {
        return false;
      }
    })
    .map(Number);
}

async function until(done: () => boolean): Promise<void> {
  const deadline = performance.now() + 25_000;
  while (!done()) {
    if (performance.now() > deadline) throw new Error('The state was not reached');
    await sleep(50);
  }
}

async function rpc(port: number, method: string, params: object): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}/agents/echo`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'a2a-version': '1.0' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  return response.text();
}

async function send(port: number, text: string): Promise<string> {
  const answer = await rpc(port, 'SendMessage', { message: { messageId: 'm1', role: 'ROLE_USER', parts: [{ text }] } });
  return (JSON.parse(answer) as { result: { task: { id: string } } }).result.task.id;
}

const getTask = (port: number, id: string): Promise<string> => rpc(port, 'GetTask', { id });
