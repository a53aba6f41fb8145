import type { NotificationKeyStore } from '#core';

/** A rotation is known here so much later at most. */
const REFRESH_MS = 1000;

/** The public halves of the keys that sign push notifications, as they stand in a key set. */
export class PublishedKeys {
  #known: { readonly keys: readonly object[]; readonly readAt: number } | undefined;
  #reading: Promise<readonly object[]> | undefined;

  constructor(
    private readonly store: Pick<NotificationKeyStore, 'list'>,
    /** Monotonic, milliseconds. */
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** The newest first. While the database is away: those that were known. Rejects with StoreUnavailableError when none ever were. */
  async list(): Promise<readonly object[]> {
    const known = this.#known;
    if (known && this.now() - known.readAt < REFRESH_MS) return known.keys;
    this.#reading ??= this.#read().finally(() => (this.#reading = undefined));
    return known ? this.#reading.catch(() => known.keys) : this.#reading;
  }

  async #read(): Promise<readonly object[]> {
    const keys = (await this.store.list()).map(({ publicKey }) => JSON.parse(publicKey) as object);
    this.#known = { keys, readAt: this.now() };
    return keys;
  }
}
