import { randomBytes } from 'node:crypto';
import { ClusterProcess } from './cluster-process.js';
import { createTestDatabase, testRedisUrl, type TestDatabase } from './test-database.js';

type Environment = Readonly<Record<string, string>>;

export interface ClusterOptions {
  readonly apis?: number;
  readonly workers?: number;
  /** For every process; see docs/configuration.md. `CHORUS_AGENTS` chooses other agents. */
  readonly env?: Environment;
  /** Over `env`, for the n-th API. */
  readonly apiEnv?: readonly Environment[];
  /** Over `env`, for the n-th worker. */
  readonly workerEnv?: readonly Environment[];
  /** A migrated database; without it, one of the cluster's own on the server of `npm test`, dropped at the end. */
  readonly databaseUrl?: string;
  /** Without it the Redis of `npm test`, under a prefix of the cluster's own; `null` for Postgres alone. */
  readonly redisUrl?: string | null;
  /** Starts processes again that end unasked. */
  readonly restart?: boolean;
}

/** The product on this machine: real processes on free ports. */
export interface Cluster {
  readonly apis: readonly ClusterProcess[];
  readonly workers: readonly ClusterProcess[];
  readonly databaseUrl: string;
  readonly redisUrl: string | undefined;
  addApi(env?: Environment): Promise<ClusterProcess>;
  addWorker(env?: Environment): Promise<ClusterProcess>;
  /** What every process wrote, each line after the name of its process. */
  logs(): string;
  /** Ends every process, paused ones too, and drops the cluster's own database. Safe to call again. */
  stop(): Promise<void>;
}

const STOP_TIMEOUT_MS = 15_000;

/** Starts the processes from dist, and resolves when all are ready. Rejects, with nothing left running, when one does not start. */
export async function startCluster(options: ClusterOptions = {}): Promise<Cluster> {
  const own: TestDatabase | undefined = options.databaseUrl === undefined ? await createTestDatabase() : undefined;
  const databaseUrl = options.databaseUrl ?? (own as TestDatabase).url;
  const redisUrl = options.redisUrl === undefined ? testRedisUrl() : (options.redisUrl ?? undefined);
  const common: Environment = {
    DATABASE_URL: databaseUrl,
    ...(redisUrl === undefined ? {} : { REDIS_URL: redisUrl, REDIS_PREFIX: `test_${randomBytes(6).toString('hex')}` }),
    ...options.env,
  };
  const apis: ClusterProcess[] = [];
  const workers: ClusterProcess[] = [];

  const create = async (kind: 'api' | 'worker', env: Environment = {}): Promise<ClusterProcess> => {
    const list = kind === 'api' ? apis : workers;
    const created = await ClusterProcess.create(kind, `${kind}-${list.length}`, { ...common, ...env }, options.restart ?? false);
    list.push(created);
    return created;
  };
  const add = async (kind: 'api' | 'worker', env?: Environment): Promise<ClusterProcess> => {
    const added = await create(kind, env);
    await added.start();
    return added;
  };

  const cluster: Cluster = {
    apis,
    workers,
    databaseUrl,
    redisUrl,
    addApi: (env) => add('api', env),
    addWorker: (env) => add('worker', env),
    logs: () => [...apis, ...workers].map(({ name, logs }) => logs.replace(/^/gm, `${name} | `)).join('\n'),
    async stop() {
      await Promise.all([...apis, ...workers].map(stopWithin));
      await own?.drop();
    },
  };

  try {
    for (let n = 0; n < (options.apis ?? 1); n += 1) await create('api', options.apiEnv?.[n]);
    for (let n = 0; n < (options.workers ?? 1); n += 1) await create('worker', options.workerEnv?.[n]);
    const starts = await Promise.allSettled([...apis, ...workers].map((one) => one.start()));
    const failed = starts.find((start) => start.status === 'rejected');
    if (failed) throw failed.reason;
  } catch (error) {
    await cluster.stop();
    throw error;
  }
  return cluster;
}

async function stopWithin(one: ClusterProcess): Promise<void> {
  one.resume();
  const timer = setTimeout(() => void one.kill(), STOP_TIMEOUT_MS);
  await one.stop();
  clearTimeout(timer);
}
