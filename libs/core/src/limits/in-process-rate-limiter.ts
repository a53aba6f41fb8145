import { decisionOf, RateLimiter, type RateDecision, type RateLimit } from '../ports/rate-limiter.js';

/** Keys come from whoever asks: they must not fill the memory. */
const MOST_KEYS = 100_000;

/** Buckets in the memory of one process. */
export class InProcessRateLimiter extends RateLimiter {
  /** When each bucket is full again, in milliseconds of `now`; the one that was asked for last comes last. */
  readonly #fullAt = new Map<string, number>();

  constructor(private readonly now: () => number = () => performance.now()) {
    super();
  }

  override async take(key: string, limit: RateLimit): Promise<RateDecision> {
    return this.takeNow(key, limit);
  }

  takeNow(key: string, limit: RateLimit): RateDecision {
    const periodMs = limit.seconds * 1000;
    const debtMs = Math.max(0, (this.#fullAt.get(key) ?? 0) - this.now());
    const after = debtMs + periodMs / limit.requests;
    const admitted = after <= periodMs + 0.001;
    if (!admitted) return decisionOf(false, debtMs, limit);
    this.#fullAt.delete(key);
    if (this.#fullAt.size >= MOST_KEYS) this.#fullAt.delete(this.#fullAt.keys().next().value as string);
    this.#fullAt.set(key, this.now() + after);
    return decisionOf(true, after, limit);
  }

  override async close(): Promise<void> {
    this.#fullAt.clear();
  }
}
