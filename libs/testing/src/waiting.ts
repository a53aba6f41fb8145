/** A promise that the test settles. */
export class Deferred<T = void> {
  resolve!: (value: T) => void;
  reject!: (reason: unknown) => void;
  readonly promise = new Promise<T>((resolve, reject) => {
    this.resolve = resolve;
    this.reject = reject;
  });
}

/** Collects what arrives, and lets a test wait for a number of it. */
export class Inbox<T> {
  readonly items: T[] = [];
  #waiting: { readonly count: number; readonly deferred: Deferred }[] = [];

  push(item: T): void {
    this.items.push(item);
    this.#waiting = this.#waiting.filter(({ count, deferred }) => {
      if (this.items.length < count) return true;
      deferred.resolve();
      return false;
    });
  }

  /** Resolves with the first `count` items; rejects with those that came when `timeoutMs` are over. */
  async first(count: number, timeoutMs = 10_000): Promise<readonly T[]> {
    if (this.items.length < count) {
      const deferred = new Deferred();
      this.#waiting.push({ count, deferred });
      const late = (): void =>
        deferred.reject(new Error(`${count} expected within ${timeoutMs} ms, came: ${JSON.stringify(this.items.slice(0, 20))}`));
      const timer = setTimeout(late, timeoutMs);
      await deferred.promise.finally(() => clearTimeout(timer));
    }
    return this.items.slice(0, count);
  }
}

/** Resolves once `holds` does; asks again every few milliseconds. Rejects when `timeoutMs` are over. */
export async function eventually(holds: () => boolean | Promise<boolean>, timeoutMs = 10_000): Promise<void> {
  const until = performance.now() + timeoutMs;
  while (!(await holds())) {
    if (performance.now() > until) throw new Error(`${String(holds)} did not become true within ${timeoutMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
