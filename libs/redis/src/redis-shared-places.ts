import { SILENT, SharedPlaces, type HeldPlaces, type Logger, type PlaceClaim } from '#core';
import type { Redis } from 'ioredis';
import { connect, ready } from './connection.js';
import { oneWritePerTick } from './one-write-per-tick.js';

export interface RedisSharedPlacesOptions {
  readonly url: string;
  /** Without one it is silent. */
  readonly logger?: Logger;
  /** Before every key; systems with different prefixes do not count together. */
  readonly prefix?: string;
  /** Name of the connection in CLIENT LIST. */
  readonly connectionName?: string;
}

/**
 * KEYS[1] a hash of holders, each with its places and until when that holds, in milliseconds of the server's clock. ARGV: holder, held, wanted,
 * most, lifetime in milliseconds. Answers how many of the wanted places the holder has got.
 */
const CLAIM = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local others = 0
local entries = redis.call('HGETALL', KEYS[1])
for i = 1, #entries, 2 do
  if entries[i] ~= ARGV[1] then
    local places, expires = string.match(entries[i + 1], '^(%d+):(%d+)$')
    if tonumber(expires) > now then others = others + tonumber(places) else redis.call('HDEL', KEYS[1], entries[i]) end
  end
end
local held = tonumber(ARGV[2])
local granted = math.max(0, math.min(tonumber(ARGV[3]), tonumber(ARGV[4]) - others - held))
if held + granted == 0 then
  redis.call('HDEL', KEYS[1], ARGV[1])
else
  redis.call('HSET', KEYS[1], ARGV[1], string.format('%d:%.0f', held + granted, now + ARGV[5]))
  redis.call('PEXPIRE', KEYS[1], ARGV[5])
end
return granted`;

type Claiming = Redis & {
  claimPlaces(key: string, holder: string, held: number, wanted: number, most: number, ttlMs: number): Promise<number>;
};

/** Places in Redis: a hash a key, with what each holder has; one script and one round trip a claim, many at once in one write. */
export class RedisSharedPlaces extends SharedPlaces {
  readonly #redis: Claiming;
  readonly #prefix: string;

  constructor({ url, logger = SILENT, prefix = 'chorus', connectionName = 'chorus' }: RedisSharedPlacesOptions) {
    super();
    this.#prefix = `${prefix}:places:`;
    this.#redis = oneWritePerTick(connect(url, logger, { connectionName: `${connectionName}:places` })) as Claiming;
    this.#redis.defineCommand('claimPlaces', { numberOfKeys: 1, lua: CLAIM });
  }

  override async claim({ key, holder, held, wanted, most, ttlMs }: PlaceClaim): Promise<number> {
    await ready(this.#redis);
    return this.#redis.claimPlaces(this.#prefix + key, holder, held, wanted, most, ttlMs);
  }

  override async renew({ holder, places, ttlMs }: HeldPlaces): Promise<void> {
    await Promise.all(places.map(([key, held]) => this.claim({ key, holder, held, wanted: 0, most: 0, ttlMs })));
  }

  override async close(): Promise<void> {
    this.#redis.disconnect();
  }
}
