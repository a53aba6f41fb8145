import { SILENT, ThrottledWarning } from '#core';
import { oneWritePerTick } from '#redis';
import { createRedisBackend, Queue, Worker } from 'bullmq';
import { Redis, type RedisOptions } from 'ioredis';
import { BullMqWorkQueue, type WorkQueueOptions } from './bullmq-work-queue.js';
import type { QueueServer } from './queue-server.js';
import { paced } from './worker-settings.js';

const MAX_RECONNECT_MS = 1000;
/** After this time without an answer the connection is made anew: of a peer that vanished, no error tells. */
const ANSWER_MS = 5000;
/** The same for a connection that blocks; BullMQ blocks for 10 s at most. */
const BLOCKED_ANSWER_MS = 15_000;

export interface RedisWorkQueueOptions extends WorkQueueOptions {
  readonly url: string;
  /** Of every key; systems with different prefixes do not share work. */
  readonly prefix?: string;
  /** Name of the connections in CLIENT LIST. */
  readonly connectionName?: string;
}

/** The work queue on Redis. Connects by itself, now and after every outage; never rejects for a server that is away. */
export function redisWorkQueue({
  url,
  prefix = 'chorus',
  connectionName = 'chorus',
  ...options
}: RedisWorkQueueOptions): BullMqWorkQueue {
  const trouble = new ThrottledWarning(
    options.logger ?? SILENT,
    'Redis cannot be reached; workers take work from the store meanwhile',
  );
  const connect = (more: RedisOptions): Redis => {
    const redis = new Redis(url, {
      connectionName,
      maxRetriesPerRequest: null,
      keepAlive: 10_000,
      connectTimeout: 5000,
      retryStrategy: (times) => Math.min(times * 50, MAX_RECONNECT_MS),
      ...more,
    });
    redis.on('error', (err: unknown) => trouble.warn({ err }));
    return oneWritePerTick(redis);
  };

  // Shared by all producers, which would rather fail than wait. Without a number of retries, ioredis would forget what was
  // under way on a connection that broke, and a producer would wait for it for ever.
  const producing = connect({
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    socketTimeout: ANSWER_MS,
  });

  const server: QueueServer = {
    openQueue: (name, settings) => new Queue(name, { ...settings, prefix, connection: producing }),
    openWorker(name, processor, settings) {
      const connection = connect({ socketTimeout: ANSWER_MS });
      const opened = [connection];
      // BullMQ makes its blocking connection from this one, and cannot close it itself while it waits for the server.
      const duplicate = connection.duplicate.bind(connection);
      connection.duplicate = (more) => {
        const blocking = duplicate({ ...more, socketTimeout: BLOCKED_ANSWER_MS });
        opened.push(blocking);
        return blocking;
      };
      const worker = new Worker(name, processor, { ...settings, prefix, connection }, paced(createRedisBackend));
      return {
        worker,
        disconnect() {
          for (const redis of opened) end(redis);
        },
      };
    },
    async ping() {
      await producing.ping();
    },
    async close() {
      producing.disconnect();
    },
  };
  return new BullMqWorkQueue(server, options);
}

/**
 * Ends a connection, and with it every command that waits for it. ioredis forgets those of a connection that is waiting to be
 * made again: a worker would wait for them for ever, and keep its process alive. The one attempt settles them.
 */
function end(redis: Redis): void {
  const { status } = redis;
  if (status === 'end') return;
  redis.disconnect();
  if (status === 'reconnecting')
    redis.connect().then(
      () => redis.disconnect(),
      () => undefined,
    );
}
