import { SILENT, ThrottledWarning } from '#core';
import { createPostgresBackend, Queue, Worker, type PostgresConnectionOptions } from 'bullmq';
import pg from 'pg';
import { BullMqWorkQueue, type WorkQueueOptions } from './bullmq-work-queue.js';
import type { QueueServer } from './queue-server.js';
import { paced } from './worker-settings.js';

const DEFAULT_SCHEMA = 'chorus_queue';
const CONNECT_MS = 5000;
/** Per agent for enqueueing, and again for consuming; twice as fast as 2. */
const CONNECTIONS = 4;
/** A statement without an answer is given up after this, and its connection with it. */
const ANSWER_MS = 5000;

export interface PostgresWorkQueueOptions extends WorkQueueOptions {
  /** A direct connection: LISTEN does not pass a pooler in transaction mode. */
  readonly connectionString: string;
  /** Holds BullMQ's tables. */
  readonly schema?: string;
}

/** The work queue where there is no Redis: BullMQ's own tables in Postgres. */
export function postgresWorkQueue({
  connectionString,
  schema = DEFAULT_SCHEMA,
  ...options
}: PostgresWorkQueueOptions): BullMqWorkQueue {
  const trouble = new ThrottledWarning(options.logger ?? SILENT, 'The database of the work queue has trouble');
  const times = { connectionTimeoutMillis: CONNECT_MS, query_timeout: ANSWER_MS };
  const pinging = new pg.Pool({ connectionString, max: 1, ...times, allowExitOnIdle: true });
  pinging.on('error', (err) => trouble.warn({ err }));
  const connection: PostgresConnectionOptions = {
    connectionString,
    schema,
    migrate: true,
    max: CONNECTIONS,
    keepAlive: true,
    ...times,
  };

  const server: QueueServer = {
    openQueue: (name, settings) => new Queue(name, { ...settings, connection }, createPostgresBackend) as unknown as Queue,
    openWorker(name, processor, settings) {
      const worker = new Worker(name, processor, { ...settings, connection }, paced(createPostgresBackend)) as unknown as Worker;
      return { worker, disconnect: () => void worker.disconnect().catch(() => undefined) };
    },
    async ping() {
      await pinging.query('select 1');
    },
    close: () => pinging.end(),
  };
  return new BullMqWorkQueue(server, options);
}
