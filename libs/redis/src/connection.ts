import { ThrottledWarning, type Logger } from '#core';
import { Redis, type RedisOptions } from 'ioredis';

const MAX_RECONNECT_MS = 1000;
/** After this time without an answer the connection is made anew: of a peer that vanished, no error tells. */
const ANSWER_MS = 5000;

const opening = new WeakMap<Redis, Promise<void>>();

/**
 * A connection that comes back by itself and never keeps a command for later: what cannot be sent now fails now, and what
 * was sent on a connection that broke is not sent again.
 */
export function connect(url: string, logger: Logger, options: RedisOptions): Redis {
  const redis = new Redis(url, {
    autoResubscribe: false,
    autoResendUnfulfilledCommands: false,
    enableOfflineQueue: false,
    // With null, ioredis forgets what was under way on a connection that broke: its promises would never settle.
    maxRetriesPerRequest: 0,
    keepAlive: 10_000,
    connectTimeout: 5000,
    socketTimeout: ANSWER_MS,
    retryStrategy: (times) => Math.min(times * 50, MAX_RECONNECT_MS),
    ...options,
  });
  const warning = new ThrottledWarning(logger, 'Redis cannot be reached; live events are read from the store meanwhile');
  redis.on('error', (err: unknown) => warning.warn({ err }));
  return redis;
}

/** Resolves when commands can be sent; rejects at once when the server was lost and is not back. */
export async function ready(redis: Redis): Promise<void> {
  if (redis.status === 'ready') return;
  if (redis.status !== 'connecting' && redis.status !== 'connect') throw new Error('Redis cannot be reached');
  // One for all who wait: a server that is slow to answer may have thousands.
  const waiting = opening.get(redis) ?? opened(redis).finally(() => opening.delete(redis));
  opening.set(redis, waiting);
  await waiting;
}

function opened(redis: Redis): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (): void => {
      redis.off('ready', settle);
      redis.off('close', settle);
      if (redis.status === 'ready') resolve();
      else reject(new Error('Redis cannot be reached'));
    };
    redis.on('ready', settle);
    redis.on('close', settle);
  });
}
