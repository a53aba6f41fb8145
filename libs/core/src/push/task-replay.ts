import type { Struct, Task } from '#protocol';
import { blankTask } from '../operations/task-at.js';
import type { PushDeliveryStore } from '../ports/push-delivery-store.js';
import { TaskFold, parseEvent } from '../task/task-fold.js';

const PAGE = 200;

/** A task as it was at ever later moments, folded from its log. Reads each event once. */
export class TaskReplay {
  #fold: TaskFold | undefined;
  #at = 0;

  constructor(
    private readonly store: Pick<PushDeliveryStore, 'read'>,
    private readonly taskId: string,
  ) {}

  /** Undefined when the task is gone. `sequence` is never less than at the call before. Metadata is that of now: no event has it. */
  async at(sequence: number): Promise<Task | undefined> {
    while (this.#fold === undefined || this.#at < sequence) {
      const log = await this.store.read(this.taskId, this.#at, Math.min(PAGE, sequence - this.#at));
      if (!log || log.events.length === 0) return undefined;
      const metadata = log.metadata === undefined ? {} : { metadata: JSON.parse(log.metadata) as Struct };
      this.#fold ??= new TaskFold({ ...blankTask(this.taskId, log.contextId), ...metadata });
      for (const event of log.events) this.#fold.apply(parseEvent(event));
      this.#at += log.events.length;
    }
    return this.#fold.task();
  }
}
