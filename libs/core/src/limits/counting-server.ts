import { ThrottledWarning } from '../execution/throttled-warning.js';
import { within } from '../execution/within.js';
import type { Logger } from '../logger.js';

/** What a request waits for its limit at most. */
const DEADLINE_MS = 500;
/** How long a server that did not answer is left alone. */
const PAUSE_MS = 1000;

/** The server by which replicas count together, which may be away: whoever asks it goes on without an answer. */
export class CountingServer {
  readonly #warning: ThrottledWarning;
  #pausedUntil = 0;

  constructor(
    logger: Logger,
    private readonly deadlineMs = DEADLINE_MS,
  ) {
    this.#warning = new ThrottledWarning(logger, 'Limits cannot be counted together with other replicas; this one counts alone');
  }

  /** Resolves with the answer; with undefined when there is none in time, and at once for a while after that. Never rejects. */
  async ask<T>(question: () => Promise<T>): Promise<T | undefined> {
    if (performance.now() < this.#pausedUntil) return undefined;
    let failure: unknown;
    const asked = question().catch((err: unknown) => {
      failure = err;
      return undefined;
    });
    const answer = (await within(asked, this.deadlineMs)) ? await asked : undefined;
    if (answer !== undefined) return answer;
    this.#pausedUntil = performance.now() + PAUSE_MS;
    this.#warning.warn({ err: failure ?? new Error('No answer in time') });
    return undefined;
  }
}
