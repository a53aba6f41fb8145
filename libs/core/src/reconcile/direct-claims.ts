import type { TaskRunner } from '../execution/task-runner.js';
import { ThrottledWarning } from '../execution/throttled-warning.js';
import type { Logger } from '../logger.js';
import type { ReconcileStore } from '../ports/reconcile-store.js';
import type { WorkQueue } from '../ports/work-queue.js';

const POLL_MS = 1000;
const BACKOFF_MS = 500;

/** While the queue's server is away, this worker takes work for its free slots from the store, by the same claim. */
export class DirectClaims {
  readonly #failed: ThrottledWarning;
  #timer: NodeJS.Timeout | undefined;
  #polling: Promise<void> | undefined;
  #away = false;
  #closed = false;

  constructor(
    private readonly store: Pick<ReconcileStore, 'takePending'>,
    private readonly queue: Pick<WorkQueue, 'healthy'>,
    private readonly runner: Pick<TaskRunner, 'agents' | 'freeSlots' | 'tryRun'>,
    private readonly logger: Logger,
  ) {
    this.#failed = new ThrottledWarning(logger, 'Work could not be taken from the store');
  }

  start(): void {
    this.#timer = setTimeout(() => void this.poll().then(() => !this.#closed && this.start()), POLL_MS);
  }

  /** One look at the queue and, if it is away, at the store. Never rejects. */
  poll(): Promise<void> {
    this.#polling ??= this.#poll()
      .catch((err: unknown) => this.#failed.warn({ err }))
      .finally(() => (this.#polling = undefined));
    return this.#polling;
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#polling;
  }

  async #poll(): Promise<void> {
    const away = !(await this.queue.healthy());
    if (away !== this.#away) this.logger.warn(away ? 'The queue is away: work is taken from the store' : 'The queue is back');
    this.#away = away;
    if (!away) return;
    for (const { id } of this.runner.agents) {
      const limit = this.runner.freeSlots(id);
      if (limit === 0 || this.#closed) continue;
      const works = await this.store.takePending({ agentIds: [id], backoffMs: BACKOFF_MS, limit });
      for (const work of works) this.runner.tryRun(work);
    }
  }
}
