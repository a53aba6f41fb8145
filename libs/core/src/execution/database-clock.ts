import type { Logger } from '../logger.js';
import type { TurnStore } from '../ports/turn-store.js';

const MEASURE_EVERY_MS = 60_000;

/** This process's clock, corrected to the database's: timestamps of one task stay comparable whichever worker wrote them. */
export class DatabaseClock {
  #offset = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly store: Pick<TurnStore, 'clockOffset'>,
    private readonly logger: Logger,
  ) {}

  /** Milliseconds since the epoch. */
  now(): number {
    return Math.round(Date.now() + this.#offset);
  }

  /** Measures now, and again every minute. A store that does not answer leaves the last offset standing. */
  async start(): Promise<void> {
    this.#timer = setInterval(() => void this.#measure(), MEASURE_EVERY_MS);
    await this.#measure();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async #measure(): Promise<void> {
    try {
      this.#offset = await this.store.clockOffset();
    } catch (err) {
      this.logger.warn('The database clock could not be measured', { err });
    }
  }
}
