import { TaskNotFoundError, type GetTaskRequest, type Task, type WireText } from '#protocol';
import type { CallContext } from '../call-context.js';
import type { TaskStore } from '../ports/task-store.js';
import { renderTask } from '../task/render-task.js';

/** GetTask (section 3.1.3). */
export class GetTask {
  constructor(private readonly store: TaskStore) {}

  async execute(ctx: CallContext, { id, historyLength }: GetTaskRequest): Promise<WireText<Task>> {
    const stored = await this.store.get(ctx, id);
    if (!stored) throw new TaskNotFoundError(id);
    return renderTask(stored, { historyLength, artifacts: true });
  }
}
