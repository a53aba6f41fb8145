import type { ExecuteHint } from '#core';

interface Waiting {
  readonly hints: readonly ExecuteHint[];
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
  timer: NodeJS.Timeout | undefined;
}

const MOST_HINTS = 1000;

/**
 * The way of one agent's hints to the server. What comes in one turn of the event loop leaves together; one batch is under way
 * at a time, and what comes meanwhile goes with the next.
 * While the server does not answer, nothing piles up: whoever waits longer than the deadline is rejected and forgotten.
 */
export class HintLane {
  #waiting: Waiting[] = [];
  #sending = false;

  constructor(
    private readonly send: (hints: readonly ExecuteHint[]) => Promise<void>,
    private readonly deadlineMs: number,
  ) {}

  /** Resolves once the server has the hints; rejects after the deadline, when it may or may not have them. */
  add(hints: readonly ExecuteHint[]): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiting: Waiting = { hints, resolve, reject, timer: undefined };
      waiting.timer = setTimeout(() => this.#expire(waiting), this.deadlineMs);
      this.#waiting.push(waiting);
      if (this.#sending) return;
      this.#sending = true;
      setImmediate(() => void this.#sendAll());
    });
  }

  async #sendAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#takeBatch();
      try {
        await this.send(batch.flatMap(({ hints }) => hints));
        for (const { resolve, timer } of batch) settle(resolve, timer);
      } catch (err) {
        for (const { reject, timer } of batch) settle(() => reject(err), timer);
      }
    }
    this.#sending = false;
  }

  #takeBatch(): readonly Waiting[] {
    let hints = 0;
    const full = this.#waiting.findIndex((waiting) => (hints += waiting.hints.length) > MOST_HINTS);
    return this.#waiting.splice(0, full === -1 ? this.#waiting.length : Math.max(full, 1));
  }

  #expire(waiting: Waiting): void {
    const at = this.#waiting.indexOf(waiting);
    if (at !== -1) this.#waiting.splice(at, 1);
    waiting.reject(new Error(`The work queue did not acknowledge within ${this.deadlineMs} ms; the hint may still arrive`));
  }
}

function settle(how: () => void, timer: NodeJS.Timeout | undefined): void {
  clearTimeout(timer);
  how();
}
