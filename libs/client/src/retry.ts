import { setTimeout as delay } from 'node:timers/promises';
import { PeerUnavailableError } from './errors.js';

/** Waits between attempts: doubling, with a random part so that many callers do not come at once. */
export class BackOff {
  #next: number;

  constructor(
    private readonly firstMs = 200,
    private readonly longestMs = 5000,
  ) {
    this.#next = firstMs;
  }

  /** `atLeastMs`: what the agent asked for. Rejects with the signal's reason. */
  async wait(signal?: AbortSignal, atLeastMs = 0): Promise<void> {
    const ms = Math.max(atLeastMs, this.#next * (0.5 + Math.random() / 2));
    this.#next = Math.min(this.#next * 2, this.longestMs);
    try {
      await delay(ms, undefined, signal ? { signal } : {});
    } catch (error) {
      throw signal?.aborted ? signal.reason : error;
    }
  }

  /** It went well: the next wait is the first again. */
  reset(): void {
    this.#next = this.firstMs;
  }
}

export interface RetryOptions {
  /** Milliseconds from the first failure on after which no further attempt begins. */
  readonly patienceMs: number;
  readonly signal?: AbortSignal;
  /** Which of the failures may be repeated. Default: all. */
  readonly mayRepeat?: (failure: PeerUnavailableError) => boolean;
}

/** Repeats `attempt` while the agent is unavailable; every other failure is final. Rejects with the last one. */
export async function withRetries<T>(attempt: () => Promise<T>, { patienceMs, signal, mayRepeat }: RetryOptions): Promise<T> {
  const backOff = new BackOff();
  let until: number | undefined;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof PeerUnavailableError) || mayRepeat?.(error) === false) throw error;
      const now = performance.now();
      until ??= now + patienceMs;
      if (now + (error.retryAfterMs ?? 0) >= until) throw error;
      await backOff.wait(signal, error.retryAfterMs);
    }
  }
}
