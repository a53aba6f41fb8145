import { decisionOf, RateLimiter, SILENT, type Logger, type RateDecision, type RateLimit } from '#core';
import type { Redis } from 'ioredis';
import { connect, ready } from './connection.js';
import { oneWritePerTick } from './one-write-per-tick.js';

export interface RedisRateLimiterOptions {
  readonly url: string;
  /** Without one the limiter is silent. */
  readonly logger?: Logger;
  /** Before every key; systems with different prefixes do not count together. */
  readonly prefix?: string;
  /** Name of the connection in CLIENT LIST. */
  readonly connectionName?: string;
}

/**
 * KEYS[1] when the bucket is full again, in microseconds of the server's clock. ARGV[1] the share of one request, ARGV[2] the period, both in
 * microseconds. Answers whether the request was admitted, and the debt that it leaves in microseconds. A full bucket has no key.
 */
const TAKE = `
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local debt = math.max(0, tonumber(redis.call('GET', KEYS[1]) or now) - now)
local after = debt + tonumber(ARGV[1])
if after > tonumber(ARGV[2]) + 1 then return {0, string.format('%.0f', debt)} end
redis.call('SET', KEYS[1], string.format('%.0f', now + after), 'PX', math.ceil(after / 1000))
return {1, string.format('%.0f', after)}`;

type Taking = Redis & { takeFromBucket(key: string, share: number, period: number): Promise<[admitted: number, debt: string]> };

/** Buckets in Redis: one script and one round trip a request, many at once in one write. */
export class RedisRateLimiter extends RateLimiter {
  readonly #redis: Taking;
  readonly #prefix: string;

  constructor({ url, logger = SILENT, prefix = 'chorus', connectionName = 'chorus' }: RedisRateLimiterOptions) {
    super();
    this.#prefix = `${prefix}:rate:`;
    this.#redis = oneWritePerTick(connect(url, logger, { connectionName: `${connectionName}:limits` })) as Taking;
    this.#redis.defineCommand('takeFromBucket', { numberOfKeys: 1, lua: TAKE });
  }

  override async take(key: string, limit: RateLimit): Promise<RateDecision> {
    await ready(this.#redis);
    const periodUs = limit.seconds * 1_000_000;
    const [admitted, debtUs] = await this.#redis.takeFromBucket(this.#prefix + key, periodUs / limit.requests, periodUs);
    return decisionOf(admitted === 1, Number(debtUs) / 1000, limit);
  }

  override async close(): Promise<void> {
    this.#redis.disconnect();
  }
}
