import { accessSync, constants, existsSync, mkdirSync, openSync, closeSync, readFileSync, rmSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { StartError } from '../start-error.js';
import { freePort } from './free-port.js';
import { commandOf, gone, isAlive, signal } from './processes.js';
import { ServerProcess } from './server-process.js';

export interface RedisServerOptions {
  /** The program, as `findRedisServer` found it. */
  readonly program: string;
  /** Folder of this installation's data. The caller has it to itself. */
  readonly dataDir: string;
  /** Seconds that the server outlives a killed owner; 5 unless given. */
  readonly outliveS?: number;
}

const START_TIMEOUT_MS = 30_000;
const PROGRAMS = ['redis-server', 'valkey-server'];

/** Path of the first Redis or Valkey server on PATH, if there is one. */
export function findRedisServer(path: string | undefined): string | undefined {
  const candidates = PROGRAMS.flatMap((name) => (path ?? '').split(delimiter).map((folder) => join(folder, name)));
  return candidates.find((candidate) => {
    try {
      accessSync(candidate, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/**
 * A Redis on a free loopback port, behind a password, that keeps nothing on the disk: all that Chorus has in it can be made again
 * from Postgres, and writing it down would cost every task some. The data folder holds its log.
 */
export class RedisServer {
  #process: ServerProcess | undefined;
  #port = 0;
  readonly #password = randomBytes(24).toString('base64url');
  readonly #folder: string;

  /** Starts the server; ends what an earlier, killed owner left running from the same folder. @throws StartError in one line */
  static async start(options: RedisServerOptions): Promise<RedisServer> {
    const redis = new RedisServer(options);
    mkdirSync(redis.#folder, { recursive: true, mode: 0o700 });
    await endOrphan(redis.#pidFile);
    await redis.start();
    return redis;
  }

  private constructor(private readonly options: RedisServerOptions) {
    this.#folder = join(options.dataDir, 'redis');
  }

  get port(): number {
    return this.#port;
  }

  get pid(): number | undefined {
    return this.#process?.running ? this.#process.pid : undefined;
  }

  /** Stays the same when the server is started again. */
  get url(): string {
    return `redis://:${this.#password}@127.0.0.1:${this.#port}`;
  }

  /** Resolves when the server that runs now has ended. */
  get exited(): Promise<void> {
    return this.#process?.exited ?? Promise.resolve();
  }

  /** Starts the server (again), empty. @throws StartError */
  async start(): Promise<void> {
    if (this.#port === 0) this.#port = await freePort();
    if (await this.#tryStart()) return;
    const said = readFileSync(this.#log, 'utf8').trim().split('\n').at(-1) ?? '';
    throw new StartError(`${this.options.program} did not start: ${said} (log: ${this.#log})`);
  }

  async stop(): Promise<void> {
    await this.#process?.stop();
  }

  async kill(): Promise<void> {
    await this.#process?.kill();
  }

  get #pidFile(): string {
    return join(this.#folder, 'redis.pid');
  }

  get #log(): string {
    return join(this.#folder, 'server.log');
  }

  async #tryStart(): Promise<boolean> {
    const log = openSync(this.#log, 'w', 0o600);
    try {
      this.#process = await ServerProcess.spawn({
        command: this.options.program,
        // From standard input, so that the password is in no list of processes.
        args: ['-'],
        input: this.#settings(),
        options: { cwd: this.#folder, stdio: ['pipe', log, log] },
        pidFile: this.#pidFile,
        stopSignal: 'SIGTERM',
        outliveS: this.options.outliveS ?? 5,
      });
    } finally {
      closeSync(log);
    }
    const deadline = performance.now() + START_TIMEOUT_MS;
    while (this.#process.running && performance.now() < deadline) {
      if (await answersPing(this.#port, this.#password)) return true;
      await sleep(20);
    }
    await this.#process.kill();
    return false;
  }

  #settings(): string {
    const folder = this.#folder.replace(/["\\]/g, '\\$&');
    return [
      `port ${this.#port}`,
      'bind 127.0.0.1',
      `requirepass ${this.#password}`,
      `dir "${folder}"`,
      `pidfile "${folder}/redis.pid"`,
      'daemonize no',
      'appendonly no',
      'save ""',
      'maxmemory-policy noeviction',
      '',
    ].join('\n');
  }
}

async function endOrphan(pidFile: string): Promise<void> {
  if (!existsSync(pidFile)) return;
  const pid = Number(readFileSync(pidFile, 'utf8').trim());
  rmSync(pidFile, { force: true });
  if (!Number.isInteger(pid) || pid <= 0 || !isAlive(pid) || !/redis-server|valkey-server/.test(commandOf(pid))) return;
  if (!signal(pid, 'SIGTERM') || (await gone(pid, 10_000))) return;
  signal(pid, 'SIGKILL');
  if (!(await gone(pid, 5000)))
    throw new StartError(`A Redis of an earlier start (process ${pid}) does not end: end it, then start again`);
}

/** True once the server has its data and takes commands; while it reads its files it answers LOADING. */
function answersPing(port: number, password: string): Promise<boolean> {
  return new Promise((resolve) => {
    let answer = '';
    const socket = connect({ port, host: '127.0.0.1' });
    const finish = (ready: boolean): void => {
      socket.destroy();
      resolve(ready);
    };
    socket
      .setTimeout(1000, () => finish(false))
      .on('error', () => finish(false))
      .on('close', () => finish(false));
    socket.on('connect', () => socket.write(`AUTH ${password}\r\nPING\r\n`));
    socket.on('data', (chunk) => {
      answer += chunk.toString();
      if (answer.split('\r\n').length > 2) finish(answer.startsWith('+OK\r\n+PONG'));
    });
  });
}
