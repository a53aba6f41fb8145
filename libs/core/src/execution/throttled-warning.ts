import type { LogFields, Logger } from '../logger.js';

/** One line per interval for a fault that repeats with every event; `suppressed` says how many were left out. */
export class ThrottledWarning {
  #last = Number.NEGATIVE_INFINITY;
  #suppressed = 0;

  constructor(
    private readonly logger: Logger,
    private readonly message: string,
    private readonly intervalMs = 10_000,
  ) {}

  warn(fields: LogFields): void {
    const now = performance.now();
    if (now - this.#last < this.intervalMs) {
      this.#suppressed += 1;
      return;
    }
    this.logger.warn(this.message, { ...fields, suppressed: this.#suppressed });
    this.#last = now;
    this.#suppressed = 0;
  }
}
