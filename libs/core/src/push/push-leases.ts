import type { ThrottledWarning } from '../execution/throttled-warning.js';
import type { PushDeliveryStore, PushFence } from '../ports/push-delivery-store.js';

export interface PushLeasesOptions {
  readonly leaseMs: number;
  readonly heartbeatMs: number;
}

interface Held {
  readonly fence: PushFence;
  readonly abort: AbortController;
  /** Attempts that are over sooner cost no statement. */
  isYoung: boolean;
}

/**
 * The leases of the configurations that this process is delivering to, renewed while it does. A lease is shorter than an attempt may
 * take: what a process that disappeared had under way is another's in seconds, however long its receiver would have been waited for.
 */
export class PushLeases {
  readonly #held = new Set<Held>();
  #timer: NodeJS.Timeout | undefined;
  #renewing: Promise<void> | undefined;

  constructor(
    private readonly store: Pick<PushDeliveryStore, 'renew'>,
    private readonly options: PushLeasesOptions,
    private readonly failed: ThrottledWarning,
  ) {}

  start(): void {
    this.#timer = setInterval(() => {
      // A database that is away is not asked twice at once.
      this.#renewing ??= this.#renew().finally(() => (this.#renewing = undefined));
    }, this.options.heartbeatMs);
  }

  /** Keeps a lease until `release` is called. `signal` aborts when it is lost, or when everything is abandoned. */
  hold(fence: PushFence): { readonly signal: AbortSignal; release(): void } {
    const held: Held = { fence, abort: new AbortController(), isYoung: true };
    this.#held.add(held);
    return { signal: held.abort.signal, release: () => void this.#held.delete(held) };
  }

  /** Ends every delivery that is under way; leases are kept until they are released. */
  abandon(): void {
    for (const { abort } of this.#held) abort.abort();
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#renewing;
  }

  async #renew(): Promise<void> {
    const due = [...this.#held].filter(({ isYoung }) => !isYoung);
    for (const held of this.#held) held.isYoung = false;
    if (due.length === 0) return;
    try {
      const lost = await this.store.renew(
        due.map(({ fence }) => fence),
        this.options.leaseMs,
      );
      const isLost = new Set(lost);
      for (const { fence, abort } of due) if (isLost.has(fence)) abort.abort();
    } catch (err) {
      this.failed.warn({ err });
    }
  }
}
