import type { Logger } from '../logger.js';
import { StoreUnavailableError } from '../ports/task-store.js';
import type { Claim, ClaimRequest, TurnStore } from '../ports/turn-store.js';
import { ThrottledWarning } from './throttled-warning.js';

const FIRST_REPEAT_MS = 250;
const REPEAT_JITTER_MS = 250;

export interface LeaseClaimsParts {
  readonly store: Pick<TurnStore, 'claim'>;
  readonly logger: Logger;
  /** A turn of the task runs in this process. */
  readonly isRunning: (taskId: string) => boolean;
}

/**
 * Takes leases. A claim whose answer was lost may have been committed; nobody would know of that lease, and the task would wait
 * until it is reaped, with an attempt less. So the claim is repeated as one that also takes a lease which this worker holds
 * already. It could take it from a turn that runs here: it is sent only while nothing else is done here about the task.
 */
export class LeaseClaims {
  readonly #underWay = new Map<string, number>();
  readonly #repeating = new Set<string>();
  readonly #closed = new AbortController();
  readonly #unanswered: ThrottledWarning;

  constructor(private readonly parts: LeaseClaimsParts) {
    this.#unanswered = new ThrottledWarning(parts.logger, 'A claim got no answer from the store; it is repeated');
  }

  /**
   * Undefined when the claim is refused, or left to one that is being repeated. Rejects with StoreUnavailableError when there is
   * no answer for as long as a lease lasts, or until `close`.
   */
  async claim(request: ClaimRequest): Promise<Claim | undefined> {
    if (this.#repeating.has(request.taskId)) return undefined;
    try {
      return await this.#try(request);
    } catch (err) {
      if (!(err instanceof StoreUnavailableError)) throw err;
      return this.#repeating.has(request.taskId) ? undefined : this.#repeat(request, err);
    }
  }

  /** Repeats nothing any more. */
  close(): void {
    this.#closed.abort();
  }

  async #repeat(request: ClaimRequest, unknown: StoreUnavailableError): Promise<Claim | undefined> {
    const { taskId, leaseMs } = request;
    const until = performance.now() + leaseMs;
    this.#repeating.add(taskId);
    try {
      for (;;) {
        this.#unanswered.warn({ taskId, err: unknown });
        await pause(FIRST_REPEAT_MS + Math.random() * REPEAT_JITTER_MS, this.#closed.signal);
        if (this.#closed.signal.aborted || performance.now() > until) throw unknown;
        if (this.parts.isRunning(taskId)) return undefined;
        if (this.#underWay.has(taskId)) continue;
        try {
          return await this.#try({ ...request, again: true });
        } catch (err) {
          if (!(err instanceof StoreUnavailableError)) throw err;
        }
      }
    } finally {
      this.#repeating.delete(taskId);
    }
  }

  async #try(request: ClaimRequest): Promise<Claim | undefined> {
    const { taskId } = request;
    this.#underWay.set(taskId, (this.#underWay.get(taskId) ?? 0) + 1);
    try {
      return await this.parts.store.claim(request);
    } finally {
      const left = (this.#underWay.get(taskId) as number) - 1;
      if (left > 0) this.#underWay.set(taskId, left);
      else this.#underWay.delete(taskId);
    }
  }
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    signal.addEventListener('abort', done);
    if (signal.aborted) done();
  });
}
