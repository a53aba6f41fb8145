import { ThrottledWarning } from '../execution/throttled-warning.js';
import { within } from '../execution/within.js';
import type { Logger } from '../logger.js';
import { RateLimiter, type RateDecision, type RateLimit } from '../ports/rate-limiter.js';
import { InProcessRateLimiter } from './in-process-rate-limiter.js';

/** What a request waits for its limit at most. */
const DEADLINE_MS = 500;
/** How long a server that did not answer is left alone. */
const PAUSE_MS = 1000;

/** Shared buckets while their server answers, else those of this process: an outage locks nobody out, and does not lift the limits. */
export class FallbackRateLimiter extends RateLimiter {
  readonly #own = new InProcessRateLimiter();
  readonly #warning: ThrottledWarning;
  #pausedUntil = 0;

  constructor(
    private readonly shared: RateLimiter,
    logger: Logger,
    private readonly deadlineMs = DEADLINE_MS,
  ) {
    super();
    this.#warning = new ThrottledWarning(logger, 'Limits cannot be counted together with other replicas; this one counts alone');
  }

  override async take(key: string, limit: RateLimit): Promise<RateDecision> {
    // Counted here too, so that an outage starts with what was used up before it.
    const own = this.#own.takeNow(key, limit);
    if (performance.now() < this.#pausedUntil) return own;
    let failure: unknown;
    const asked = this.shared.take(key, limit).catch((err: unknown) => {
      failure = err;
      return undefined;
    });
    const decision = (await within(asked, this.deadlineMs)) ? await asked : undefined;
    if (decision !== undefined) return decision;
    this.#pausedUntil = performance.now() + PAUSE_MS;
    this.#warning.warn({ err: failure ?? new Error('No answer in time') });
    return own;
  }

  override async close(): Promise<void> {
    await Promise.all([this.shared.close(), this.#own.close()]);
  }
}
