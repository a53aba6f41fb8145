import { SharedPlaces, type HeldPlaces, type PlaceClaim } from '#core';

interface Entry {
  readonly held: number;
  readonly expiresAt: number;
}

/** Places in the memory of one process; replicas share one. */
export class InMemorySharedPlaces extends SharedPlaces {
  readonly #holders = new Map<string, Map<string, Entry>>();

  constructor(private readonly now: () => number = () => performance.now()) {
    super();
  }

  override async claim({ key, holder, held, wanted, most, ttlMs }: PlaceClaim): Promise<number> {
    const holders = this.#holders.get(key) ?? new Map<string, Entry>();
    this.#holders.set(key, holders);
    let others = 0;
    for (const [name, entry] of holders) if (name !== holder && entry.expiresAt > this.now()) others += entry.held;
    const granted = Math.max(0, Math.min(wanted, most - others - held));
    holders.set(holder, { held: held + granted, expiresAt: this.now() + ttlMs });
    return granted;
  }

  override async renew({ holder, places, ttlMs }: HeldPlaces): Promise<void> {
    for (const [key, held] of places) await this.claim({ key, holder, held, wanted: 0, most: 0, ttlMs });
  }

  override async close(): Promise<void> {}
}
