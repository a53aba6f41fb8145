import type { Logger } from '../logger.js';
import type { EventBus } from '../ports/event-bus.js';
import type { TaskEvent } from '../task/task-event.js';
import { ThrottledWarning } from './throttled-warning.js';

/** Announces what was committed. A publish that fails costs readers time, never the task: they compare with the store. */
export class EventPublisher {
  readonly #running = new Set<Promise<void>>();
  readonly #failed: ThrottledWarning;

  constructor(
    private readonly bus: Pick<EventBus, 'publish'>,
    logger: Logger,
  ) {
    this.#failed = new ThrottledWarning(logger, 'Committed events could not be announced; readers find them in the store');
  }

  /** Call it only after the commit. `origin` is the API replica that accepted the task. */
  publish(origin: string, taskId: string, events: readonly TaskEvent[]): void {
    const done = this.bus
      .publish([`replica:${origin}`, `task:${taskId}`], { type: 'events', taskId, events })
      .catch((err: unknown) => this.#failed.warn({ taskId, err }))
      .finally(() => this.#running.delete(done));
    this.#running.add(done);
  }

  /** Resolves when everything published so far has left or failed. */
  async settled(): Promise<void> {
    await Promise.all(this.#running);
  }
}
