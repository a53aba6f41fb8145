import { StoreUnavailableError } from '#core';

export interface BatcherOptions<Item> {
  /** Two items of one key are never in one statement, nor in two at a time. */
  readonly key: (item: Item) => string;
  /** Most items of one statement. */
  readonly limit: number;
  /** Characters that an item adds to the statement; a statement takes no more than 4 Mi of them, unless one item is larger. */
  readonly weight?: (item: Item) => number;
  /** Statements under way at a time. */
  readonly inFlight: number;
}

const MOST_CHARACTERS = 4 * 1024 * 1024;

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly key: string;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/**
 * Natural batching, without a timer: what arrives in one turn of the event loop, or while all slots are busy, goes together
 * into the next statement. A single call under no load is sent at the end of its turn. A batch that fails is repeated row by row, so that one bad row fails alone; when the
 * outcome is unknown, everyone is told so.
 */
export class Batcher<Item, Result> {
  #waiting: Waiting<Item, Result>[] = [];
  readonly #busyKeys = new Set<string>();
  #running = 0;
  #scheduled = false;

  constructor(
    private readonly execute: (items: readonly Item[]) => Promise<readonly Result[]>,
    private readonly options: BatcherOptions<Item>,
  ) {}

  submit(item: Item): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      this.#waiting.push({ item, key: this.options.key(item), resolve, reject });
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#scheduled || this.#waiting.length === 0) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#flush();
    });
  }

  #flush(): void {
    while (this.#running < this.options.inFlight && this.#waiting.length > 0) {
      const batch = this.#take();
      if (batch.length === 0) return;
      this.#running += 1;
      void this.#send(batch).finally(() => {
        this.#running -= 1;
        for (const { key } of batch) this.#busyKeys.delete(key);
        this.#schedule();
      });
    }
  }

  /** The first items whose key is free, in the order of their keys: every statement locks its rows in one order. */
  #take(): Waiting<Item, Result>[] {
    const batch: Waiting<Item, Result>[] = [];
    const later: Waiting<Item, Result>[] = [];
    const { limit, weight = () => 0 } = this.options;
    let characters = 0;
    for (const entry of this.#waiting) {
      const heavier = characters + weight(entry.item);
      const full = batch.length >= limit || (batch.length > 0 && heavier > MOST_CHARACTERS);
      if (full || this.#busyKeys.has(entry.key)) {
        later.push(entry);
        continue;
      }
      characters = heavier;
      this.#busyKeys.add(entry.key);
      batch.push(entry);
    }
    this.#waiting = later;
    return batch.sort((a, b) => (a.key < b.key ? -1 : 1));
  }

  async #send(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await this.execute(batch.map(({ item }) => item));
      batch.forEach((entry, i) => entry.resolve(results[i] as Result));
    } catch (error) {
      if (batch.length === 1 || error instanceof StoreUnavailableError) {
        for (const entry of batch) entry.reject(error);
        return;
      }
      for (const entry of batch) await this.#send([entry]);
    }
  }
}
