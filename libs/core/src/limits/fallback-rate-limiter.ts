import type { Logger } from '../logger.js';
import { RateLimiter, type RateDecision, type RateLimit } from '../ports/rate-limiter.js';
import { CountingServer } from './counting-server.js';
import { InProcessRateLimiter } from './in-process-rate-limiter.js';

/** Shared buckets while their server answers, else those of this process: an outage locks nobody out, and does not lift the limits. */
export class FallbackRateLimiter extends RateLimiter {
  readonly #own = new InProcessRateLimiter();
  readonly #server: CountingServer;

  constructor(
    private readonly shared: RateLimiter,
    logger: Logger,
    deadlineMs?: number,
  ) {
    super();
    this.#server = new CountingServer(logger, deadlineMs);
  }

  override async take(key: string, limit: RateLimit): Promise<RateDecision> {
    // Counted here too, so that an outage starts with what was used up before it.
    const own = this.#own.takeNow(key, limit);
    return (await this.#server.ask(() => this.shared.take(key, limit))) ?? own;
  }

  override async close(): Promise<void> {
    await Promise.all([this.shared.close(), this.#own.close()]);
  }
}
