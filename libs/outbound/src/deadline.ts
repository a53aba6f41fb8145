import { OutboundTimeoutError } from './errors.js';

/** Ends an exchange when its time is up or its caller gives up. `signal` aborts with the reason. */
export class Deadline {
  readonly #controller = new AbortController();
  readonly #caller: AbortSignal | undefined;
  #timer: NodeJS.Timeout;
  #idleMs: number | undefined;

  constructor(ms: number, caller?: AbortSignal) {
    this.#timer = this.#after(ms);
    this.#caller = caller;
    if (caller?.aborted) this.#onAbort();
    else caller?.addEventListener('abort', this.#onAbort, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** From here on it is silence that ends the exchange: `ms` without `heard()`. */
  onlySilenceEnds(ms: number): void {
    this.#idleMs = ms;
    this.heard();
  }

  heard(): void {
    if (this.#idleMs === undefined || this.signal.aborted) return;
    clearTimeout(this.#timer);
    this.#timer = this.#after(this.#idleMs);
  }

  /** The exchange is over. */
  end(): void {
    clearTimeout(this.#timer);
    this.#caller?.removeEventListener('abort', this.#onAbort);
  }

  /** `work`, or the rejection with the reason of the abort, whichever is first. For what takes no signal. */
  async race<T>(work: Promise<T>): Promise<T> {
    const { signal } = this;
    // Whoever loses the race may fail later, with nobody there to hear it.
    work.catch(() => {});
    signal.throwIfAborted();
    let onAbort = () => {};
    const aborted = new Promise<never>((_, reject) => {
      onAbort = () => reject(signal.reason);
      signal.addEventListener('abort', onAbort, { once: true });
    });
    try {
      return await Promise.race([work, aborted]);
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }

  readonly #onAbort = () => this.#controller.abort(this.#caller?.reason);

  #after(ms: number): NodeJS.Timeout {
    const timer = setTimeout(() => {
      this.end();
      this.#controller.abort(new OutboundTimeoutError(ms));
    }, ms);
    // An answer that came whole and is never read keeps its deadline; it is not to keep the process.
    return timer.unref();
  }
}
