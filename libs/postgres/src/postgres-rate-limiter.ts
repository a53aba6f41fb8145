import { decisionOf, RateLimiter, type RateDecision, type RateLimit } from '#core';
import { run, type Pools } from './pools.js';
import { DROP_FULL_BUCKETS, TAKE_FROM_BUCKET } from './queries/rate-limit.js';

interface Taken {
  readonly admitted: boolean;
  /** Microseconds. */
  readonly debt: number;
}

/** How often full buckets are deleted, by each replica that counts. */
const SWEEP_MS = 60_000;

/** Buckets in an unlogged table of Postgres: a crash of the server empties it, which fills them. */
export class PostgresRateLimiter extends RateLimiter {
  #sweptAt = performance.now();

  constructor(private readonly pools: Pick<Pools, 'hot'>) {
    super();
  }

  override async take(key: string, limit: RateLimit): Promise<RateDecision> {
    this.#sweep();
    const periodUs = limit.seconds * 1_000_000;
    const shareUs = Math.round(periodUs / limit.requests);
    const [taken] = await run<Taken>(this.pools.hot, TAKE_FROM_BUCKET, [key, shareUs, periodUs]);
    return decisionOf(taken?.admitted ?? false, (taken?.debt ?? periodUs) / 1000, limit);
  }

  /** The pools are others' too. */
  override async close(): Promise<void> {}

  #sweep(): void {
    const now = performance.now();
    if (now - this.#sweptAt < SWEEP_MS) return;
    this.#sweptAt = now;
    // What stays is deleted by the next one.
    run(this.pools.hot, DROP_FULL_BUCKETS, []).catch(() => undefined);
  }
}
