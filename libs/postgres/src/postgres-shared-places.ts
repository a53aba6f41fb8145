import { SharedPlaces, type HeldPlaces, type PlaceClaim } from '#core';
import { run, type Pools } from './pools.js';
import { CLAIM_PLACES, DROP_EXPIRED_PLACES, RENEW_PLACES } from './queries/places.js';

/** How often rows that nobody needs any more are deleted, by each replica that counts. */
const SWEEP_MS = 60_000;

/** Places in an unlogged table of Postgres: a crash of the server empties it, and what holders say next fills it again. */
export class PostgresSharedPlaces extends SharedPlaces {
  #sweptAt = performance.now();

  constructor(private readonly pools: Pick<Pools, 'hot'>) {
    super();
  }

  override async claim({ key, holder, held, wanted, most, ttlMs }: PlaceClaim): Promise<number> {
    this.#sweep();
    const values = [key, holder, held, wanted, most, ttlMs];
    const [row] = await run<{ granted: number }>(this.pools.hot, CLAIM_PLACES, values);
    return row?.granted ?? 0;
  }

  override async renew({ holder, places, ttlMs }: HeldPlaces): Promise<void> {
    const columns = [places.map(([key]) => key), places.map(([, held]) => held)];
    await run(this.pools.hot, RENEW_PLACES, [holder, ...columns, ttlMs]);
  }

  /** The pools are others' too. */
  override async close(): Promise<void> {}

  #sweep(): void {
    const now = performance.now();
    if (now - this.#sweptAt < SWEEP_MS) return;
    this.#sweptAt = now;
    // What stays is deleted by the next one.
    run(this.pools.hot, DROP_EXPIRED_PLACES, []).catch(() => undefined);
  }
}
