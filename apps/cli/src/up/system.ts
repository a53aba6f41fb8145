import {
  canListen,
  ensureEncryptionKey,
  freePort,
  lockDataDirectory,
  migrationsDirectory,
  StartError,
  type Environment,
  type LaunchConfig,
  type ProcessLogger,
} from '#platform';
import { listenFault } from '../explain.js';
import { announcement } from './announcement.js';
import { openStorage, reachNamedServers, type Storage } from './storage.js';
import { SupervisedProcess } from './supervised-process.js';

/** What a process may take after its drain time, to hand turns back and close its connections. */
const CLOSE_MS = 10_000;

/** Agents run in the workers, and an agent's code sees the environment: who may sign cards is not its business. */
const NO_SIGNING_KEYS = {
  CARD_SIGNING_KEY: '',
  CARD_SIGNING_KEY_FILE: '',
  CARD_SIGNING_PREVIOUS_KEY: '',
  CARD_SIGNING_PREVIOUS_KEY_FILE: '',
};

/** Everything that `up` runs: a data folder, databases, an API, workers; started in this order, ended in the reverse one. */
export class System {
  #baseUrl = '';
  #grpcPort: number | undefined;
  #storage: Storage | undefined;
  #encryptionKey: Buffer | undefined;
  #api: SupervisedProcess | undefined;
  #workers: readonly SupervisedProcess[] = [];
  #release: (() => Promise<void>) | undefined;
  #starting: Promise<void> | undefined;
  #reloading: Promise<void> = Promise.resolve();
  #workerNames = 0;
  #stopping = false;

  constructor(
    private readonly config: LaunchConfig,
    private readonly workerCount: number,
    private readonly logger: ProcessLogger,
  ) {}

  /** Resolves when every process is ready. Rejects when one cannot be; `stop` then ends those that could. */
  start(): Promise<void> {
    this.#starting = this.#start();
    return this.#starting;
  }

  /** What to print once it runs. */
  describe(): Promise<string> {
    const storage = this.#storage as Storage;
    const grpcAddress = this.#grpcPort === undefined ? undefined : `${localHost(this.config.host)}:${this.#grpcPort}`;
    return announcement({
      baseUrl: this.#baseUrl,
      grpcAddress,
      agents: this.config.agents,
      workers: this.workerCount,
      asksForKey: this.config.auth !== undefined,
      storage,
    });
  }

  /** Ends everything that was started, also while it is being started; resolves when it is gone. */
  async stop(): Promise<void> {
    this.#stopping = true;
    const patienceMs = this.config.drainMs + this.config.stopMs + CLOSE_MS;
    // The API first: it answers whoever waits while the workers still run.
    await this.#api?.stop(patienceMs);
    await this.#reloading;
    await Promise.all(this.#workers.map((worker) => worker.stop(patienceMs)));
    // The step of the start that is under way may add a server: only after it is it known what there is to end.
    await this.#starting?.catch(() => undefined);
    await this.#storage?.stop();
    await this.#release?.();
  }

  /**
   * New workers take the places of the old: those drain once these are ready, so that no task waits. Rejects when the new ones cannot
   * start; the old ones stay at work then.
   */
  reloadWorkers(): Promise<void> {
    const reload = this.#reloading.then(() => this.#reloadWorkers());
    this.#reloading = reload.catch(() => undefined);
    return reload;
  }

  async #reloadWorkers(): Promise<void> {
    const { drainMs, stopMs } = this.config;
    const [old, fresh] = [this.#workers, await this.#newWorkers()];
    if (this.#stopping) return;
    try {
      this.#workers = [...old, ...fresh];
      await Promise.all(fresh.map((worker) => worker.start()));
      this.#workers = fresh;
    } catch (error) {
      this.#workers = old;
      await Promise.all(fresh.map((worker) => worker.stop(CLOSE_MS)));
      throw error;
    }
    await Promise.all(old.map((worker) => worker.stop(drainMs + stopMs + CLOSE_MS)));
  }

  /** Ends the processes at once; the databases still end in order. */
  kill(): void {
    for (const child of this.#children) child.kill();
  }

  get #children(): readonly SupervisedProcess[] {
    return [...this.#workers, ...(this.#api ? [this.#api] : [])];
  }

  async #start(): Promise<void> {
    const port = await this.#listeningPort(this.config.port);
    const grpcPort =
      this.config.grpcPort === undefined ? undefined : await this.#listeningPort(this.config.grpcPort, 'GRPC_PORT');
    // Before there is a folder: who mistyped an address has nothing to clean up.
    await reachNamedServers(this.config);
    const directory = await lockDataDirectory(this.config.dataDir);
    this.#release = () => directory.release();
    const storage = (this.#storage = await openStorage(this.config, directory.path, this.logger));
    const { migrate } = await import('#postgres');
    if (this.#stopping) return;
    await migrate(storage.databaseUrl, migrationsDirectory);
    this.#encryptionKey = this.config.encryptionKey ?? ensureEncryptionKey(directory.path);
    const ports = { PORT: String(port), GRPC_PORT: String(grpcPort ?? 'off') };
    const workers = await this.#newWorkers();
    if (this.#stopping) return;
    this.#baseUrl = localUrl(this.config.host, port);
    this.#grpcPort = grpcPort;
    this.#api = this.#process('api', { ...this.#environment, ...ports }, `${this.#baseUrl}/readyz`);
    this.#workers = workers;
    await Promise.all(this.#children.map((child) => child.start()));
  }

  /** What every process is given. */
  get #environment(): Environment {
    const { databaseUrl, redisUrl = '' } = this.#storage as Storage;
    const key = this.#encryptionKey as Buffer;
    return { DATABASE_URL: databaseUrl, REDIS_URL: redisUrl, CHORUS_ENCRYPTION_KEY: key.toString('hex') };
  }

  async #newWorkers(): Promise<readonly SupervisedProcess[]> {
    const healthPorts = await Promise.all(Array.from({ length: this.workerCount }, () => freePort()));
    return healthPorts.map((healthPort) => {
      const health = { WORKER_HEALTH_PORT: String(healthPort), WORKER_HEALTH_HOST: '127.0.0.1' };
      const environment = { ...this.#environment, ...NO_SIGNING_KEYS, ...health };
      return this.#process('worker', environment, `http://127.0.0.1:${healthPort}/readyz`, (this.#workerNames += 1));
    });
  }

  #process(command: 'api' | 'worker', environment: Environment, readyUrl: string, n?: number): SupervisedProcess {
    const name = n === undefined ? command : `${command} ${n}`;
    return new SupervisedProcess({ name, args: [command], environment, readyUrl }, this.logger);
  }

  /** Found out before anything is started, so that the commonest fault is told within a moment. */
  async #listeningPort(port: number, setting?: string): Promise<number> {
    const { host } = this.config;
    if (port === 0) return freePort();
    const fault = await canListen(host, port);
    if (fault !== undefined)
      throw new StartError(listenFault(fault, host, port, setting) ?? `The API cannot listen on ${host}:${port} (${fault})`);
    return port;
  }
}

/** Where this machine reaches an API that listens on `host`. */
const localUrl = (host: string, port: number): string => `http://${localHost(host)}:${port}`;

function localHost(host: string): string {
  const address = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return address.includes(':') ? `[${address}]` : address;
}
