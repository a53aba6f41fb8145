import {
  createTestDatabase,
  startCluster,
  startPostgres,
  startRedis,
  type Cluster as Processes,
  type ClusterProcess,
  type TestPostgres,
  type TestServer,
} from '#testing';
import { projectRoot } from '#platform';
import { join } from 'node:path';
import pg from 'pg';
import { HeldProxy } from './held-proxy.js';
import { LossyProxy } from './lossy-proxy.js';

export interface UseClusterOptions {
  readonly apis?: number;
  readonly workers?: number;
  readonly env?: Readonly<Record<string, string>>;
  readonly workerEnv?: readonly Readonly<Record<string, string>>[];
  /** A Redis of the suite's own, which it may freeze and empty. */
  readonly ownRedis?: boolean;
  /** A Postgres of the suite's own, which it may freeze. */
  readonly ownPostgres?: boolean;
  /** The processes of that kind reach Postgres through a proxy that can lose answers. */
  readonly lossyProxy?: 'api' | 'worker';
  /** The first process of that kind reaches Redis through a proxy that can keep what it is given; needs `ownRedis`. */
  readonly heldProxy?: 'api' | 'worker';
  /** Processes that end unasked are started again. */
  readonly restart?: boolean;
  /** Postgres alone. */
  readonly withoutRedis?: boolean;
}

export interface LoggedEvent {
  readonly sequence: number;
  readonly kind: 'accepted' | 'status' | 'artifact' | 'answer';
  readonly state: string;
  readonly turn: number;
  readonly attempt: number;
  readonly payload: string;
}

export interface TaskRow {
  readonly lease_owner: string | null;
  readonly lease_epoch: number;
  readonly attempt: number;
  readonly state: number;
  readonly cancel_requested_at: Date | null;
}

const KINDS = ['accepted', 'status', 'artifact', 'answer'] as const;
const FIXTURE_AGENTS = join(projectRoot, 'test', 'fixtures', 'agents');

/** A suite's cluster: started before its tests, gone after them. */
export function useCluster(options: UseClusterOptions): Cluster {
  const cluster = new Cluster(options);
  beforeAll(() => cluster.open(), 120_000);
  afterAll(() => cluster.close(), 60_000);
  return cluster;
}

/** Real processes with their database: started, killed, frozen and looked into. */
export class Cluster {
  #processes: Processes | undefined;
  #pool: pg.Pool | undefined;
  #redis: TestServer | undefined;
  #postgres: TestPostgres | undefined;
  #proxy: LossyProxy | undefined;
  #heldProxy: HeldProxy | undefined;
  #dropDatabase: (() => Promise<void>) | undefined;

  constructor(private readonly options: UseClusterOptions) {}

  async open(): Promise<void> {
    const {
      apis,
      workers,
      env,
      workerEnv = [],
      ownRedis,
      ownPostgres,
      lossyProxy,
      heldProxy,
      restart,
      withoutRedis,
    } = this.options;
    if (ownRedis) this.#redis = await startRedis();
    if (ownPostgres) this.#postgres = await startPostgres();
    const database = await createTestDatabase(this.#postgres?.url);
    this.#dropDatabase = database.drop;
    if (lossyProxy) this.#proxy = await LossyProxy.before(database.url);
    if (heldProxy) this.#heldProxy = await HeldProxy.before((this.#redis as TestServer).url);
    const lossy = (kind: 'api' | 'worker'): Readonly<Record<string, string>> =>
      this.#proxy && kind === lossyProxy ? { DATABASE_URL: this.#proxy.url } : {};
    const held = (kind: 'api' | 'worker', n: number): Readonly<Record<string, string>> =>
      this.#heldProxy && kind === heldProxy && n === 0 ? { REDIS_URL: this.#heldProxy.url } : {};
    this.#processes = await startCluster({
      apis,
      workers,
      restart,
      databaseUrl: database.url,
      ...(withoutRedis ? { redisUrl: null } : this.#redis ? { redisUrl: this.#redis.url } : {}),
      env: { CHORUS_AGENTS: FIXTURE_AGENTS, LOG_LEVEL: 'warn', ...env },
      apiEnv: Array.from({ length: apis ?? 1 }, (_, n) => ({ ...lossy('api'), ...held('api', n) })),
      workerEnv: Array.from({ length: workers ?? 1 }, (_, n) => ({ ...lossy('worker'), ...held('worker', n), ...workerEnv[n] })),
    });
    this.#pool = new pg.Pool({ connectionString: database.url, max: 4 });
    this.#pool.on('error', () => undefined);
  }

  async close(): Promise<void> {
    this.#redis?.resume();
    this.#postgres?.resume();
    await this.#processes?.stop();
    await this.#pool?.end();
    await this.#proxy?.close();
    await this.#heldProxy?.close();
    await this.#dropDatabase?.();
    await this.#redis?.remove();
    await this.#postgres?.remove();
  }

  get databaseUrl(): string {
    return this.#running.databaseUrl;
  }

  apiUrl(n: number): string {
    return this.#api(n).url;
  }

  grpcAddress(n: number): string {
    return `127.0.0.1:${this.#api(n).grpcPort}`;
  }

  apiUrls(): string[] {
    return this.#running.apis.map(({ url }) => url);
  }

  logs(): string {
    return this.#running.logs();
  }

  killApi = (n: number): Promise<void> => this.#api(n).kill();
  stopApi = async (n: number): Promise<void> => void (await this.#api(n).stop());
  startApi = (n: number): Promise<void> => this.#api(n).start();
  killWorker = (n: number): Promise<void> => this.#worker(n).kill();
  stopWorker = async (n: number): Promise<void> => void (await this.#worker(n).stop());
  startWorker = (n: number): Promise<void> => this.#worker(n).start();
  pauseWorker = async (n: number): Promise<void> => this.#worker(n).pause();
  resumeWorker = async (n: number): Promise<void> => this.#worker(n).resume();

  async workerReady(n: number): Promise<boolean> {
    return (await fetch(`${this.#worker(n).url}/readyz`)).ok;
  }

  async killAll(): Promise<void> {
    await Promise.all([...this.#running.apis, ...this.#running.workers].map((one) => one.kill()));
  }

  async startAll(): Promise<void> {
    await Promise.all([...this.#running.apis, ...this.#running.workers].map((one) => one.start()));
  }

  async restartAll(): Promise<void> {
    await this.killAll();
    await this.startAll();
  }

  /** The index of the worker that holds the task's lease. */
  async workerOf(taskId: string): Promise<number> {
    const owner = (await this.taskRow(taskId)).lease_owner;
    if (owner === null) throw new Error(`nobody runs ${taskId}`);
    const index = this.#running.workers.findIndex(({ pid }) => isOwner(owner, pid));
    if (index < 0) throw new Error(`no worker is ${owner}`);
    return index;
  }

  async ownedBy(owner: string, worker: number): Promise<boolean> {
    return isOwner(owner, this.#worker(worker).pid);
  }

  pauseRedis = async (): Promise<void> => this.#redis?.pause();
  resumeRedis = async (): Promise<void> => this.#redis?.resume();
  pausePostgres = async (): Promise<void> => this.#postgres?.pause();
  resumePostgres = async (): Promise<void> => this.#postgres?.resume();

  /** Loses every byte in Redis. */
  flushRedis = (): Promise<unknown> => this.redis(['flushall']);

  /** One command to the suite's own Redis. */
  async redis([command = '', ...args]: readonly string[]): Promise<unknown> {
    const { Redis } = await import('ioredis');
    const redis = new Redis((this.#redis as TestServer).url);
    try {
      return await redis.call(command, ...args);
    } finally {
      redis.disconnect();
    }
  }

  /** Cuts a connection behind `lossyProxy` after the server has answered a statement of that name, and before the process hears it. */
  dropAnswers = (statement: string, count: number): void => this.#proxy?.drop(statement, count);
  answersDropped = (): number => this.#proxy?.dropped ?? 0;

  /** From now on nothing that the process behind `heldProxy` writes reaches Redis; `releaseHeld` throws it away and lets the next through. */
  hold = (): void => this.#heldProxy?.hold();
  releaseHeld = (): void => this.#heldProxy?.forget();
  /** Whether that process has written `text`, which did not reach Redis. */
  isHeld = (text: string): boolean => this.#heldProxy?.holds(text) ?? false;

  async sql<Row extends pg.QueryResultRow = pg.QueryResultRow>(text: string): Promise<Row[]> {
    return ((await this.#pool?.query<Row>(text)) as pg.QueryResult<Row>).rows;
  }

  /** A connection for a transaction of the test's own; `end` it. */
  async connect(): Promise<pg.Client> {
    const client = new pg.Client(this.#running.databaseUrl);
    await client.connect();
    return client;
  }

  async taskRow(taskId: string): Promise<TaskRow> {
    const [row] = await this.sql<TaskRow & pg.QueryResultRow>(
      `select lease_owner, lease_epoch, attempt, state, cancel_requested_at from task where id = '${taskId}'`,
    );
    if (!row) throw new Error(`no task ${taskId}`);
    return row;
  }

  async eventsOf(taskId: string): Promise<LoggedEvent[]> {
    const rows = await this.sql(`select * from task_event where task_id = '${taskId}' order by sequence`);
    return rows.map((row) => ({
      sequence: row['sequence'],
      kind: KINDS[row['kind'] - 1] as LoggedEvent['kind'],
      state: STATES[row['state'] - 1] as string,
      turn: row['turn'],
      attempt: row['attempt'],
      payload: row['payload'],
    }));
  }

  async statesOf(taskId: string): Promise<string[]> {
    return (await this.eventsOf(taskId)).filter(({ kind }) => kind !== 'artifact').map(({ state }) => state);
  }

  async committedSequence(taskId: string): Promise<number> {
    const [row] = await this.sql<{ sequence: number }>(
      `select max(sequence) as sequence from task_event where task_id = '${taskId}'`,
    );
    return row?.sequence ?? 0;
  }

  /** Asks until the answer is true. */
  async waitFor(condition: () => Promise<boolean>, timeoutMs = 30_000): Promise<void> {
    const deadline = Date.now() + timeoutMs;
    while (!(await condition().catch(() => false))) {
      if (Date.now() > deadline) throw new Error(`not so within ${timeoutMs} ms: ${condition.toString()}`);
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
  }

  get #running(): Processes {
    if (!this.#processes) throw new Error('the cluster has not been started');
    return this.#processes;
  }

  #api(n: number): ClusterProcess {
    return this.#running.apis[n] as ClusterProcess;
  }

  #worker(n: number): ClusterProcess {
    return this.#running.workers[n] as ClusterProcess;
  }
}

const STATES = ['SUBMITTED', 'WORKING', 'COMPLETED', 'FAILED', 'CANCELED', 'INPUT_REQUIRED', 'REJECTED', 'AUTH_REQUIRED'].map(
  (name) => `TASK_STATE_${name}`,
);

/** A worker's id holds its process id. */
const isOwner = (owner: string, pid: number | undefined): boolean => pid !== undefined && owner.split('-').includes(String(pid));
