import type { Task } from '#protocol';
import type { TaskEvent } from '../task/task-event.js';
import { TaskFold, parseEvent } from '../task/task-fold.js';
import { blankTask } from './task-at.js';

/** Of event text. A turn may take hours, and many clients may wait. */
const MOST_CHARACTERS = 64 * 1024;

/**
 * What a blocking send holds of the new task that it waits for, so that a short answer costs no read of the store: the fold of
 * its events as they come, and nothing at all once they are many.
 */
export class HeldTask {
  #fold: TaskFold | undefined;
  #characters = 0;

  constructor(contextId: string, accepted: TaskEvent) {
    this.#fold = new TaskFold(blankTask(accepted.taskId, contextId));
    this.add(accepted);
  }

  /** The task's next event. */
  add(event: TaskEvent): void {
    if (!this.#fold) return;
    this.#characters += event.payload.length + (event.message?.length ?? 0);
    if (this.#characters > MOST_CHARACTERS) this.#fold = undefined;
    else this.#fold.apply(parseEvent(event));
  }

  /** The task after the events, but for its metadata, which is not in them; undefined when they were too many to hold. */
  task(): Task | undefined {
    return this.#fold?.task();
  }
}
