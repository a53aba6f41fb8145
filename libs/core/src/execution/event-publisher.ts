import type { Logger } from '../logger.js';
import type { EventBus } from '../ports/event-bus.js';
import type { TaskEvent } from '../task/task-event.js';
import { ThrottledWarning } from './throttled-warning.js';

/** Delivers push notifications in this process. */
export interface PushHints {
  /** The task's configurations may have something to deliver. False when this process cannot look after it now. */
  hint(taskId: string): boolean;
}

/**
 * Announces what was committed: to readers, and to the dispatchers of push notifications. What fails costs them time, never the
 * task: they compare with the store.
 */
export class EventPublisher {
  readonly #running = new Set<Promise<void>>();
  readonly #failed: ThrottledWarning;
  readonly #unhinted: ThrottledWarning;

  constructor(
    private readonly bus: Pick<EventBus, 'publish'>,
    logger: Logger,
    /** Absent in a process that delivers no push notifications. */
    private readonly dispatcher?: PushHints,
  ) {
    this.#failed = new ThrottledWarning(logger, 'Committed events could not be announced; readers find them in the store');
    this.#unhinted = new ThrottledWarning(logger, 'Dispatchers could not be told of events; they find them in the store');
  }

  /** Call it only after the commit. `origin` is the API replica that accepted the task. */
  publish(origin: string, taskId: string, events: readonly TaskEvent[]): void {
    this.#send(
      this.bus
        .publish([`replica:${origin}`, `task:${taskId}`], { type: 'events', taskId, events })
        .catch((err: unknown) => this.#failed.warn({ taskId, err })),
    );
    this.tellDispatchers(events);
  }

  /** Has whoever delivers push notifications look at the task, if it has a configuration. `events` as a writing statement answered them. */
  tellDispatchers(events: readonly TaskEvent[]): void {
    const last = events.at(-1);
    if (last?.pushes) this.hintPush(last.taskId);
  }

  /** The same of a task that may have something to deliver. */
  hintPush(taskId: string): void {
    if (this.dispatcher?.hint(taskId)) return;
    this.#send(
      this.bus.publish(['push'], { type: 'push', taskId }).catch((err: unknown) => this.#unhinted.warn({ taskId, err })),
    );
  }

  /** Resolves when everything published so far has left or failed. */
  async settled(): Promise<void> {
    await Promise.all(this.#running);
  }

  #send(sending: Promise<void>): void {
    const done = sending.finally(() => this.#running.delete(done));
    this.#running.add(done);
  }
}
