import { TaskNotFoundError, type Message, type Task, type TaskStatus } from '#protocol';
import type { CallContext } from '../call-context.js';
import type { StoredTask, TaskStore } from '../ports/task-store.js';
import { foldStored } from '../task/render-task.js';
import { TaskFold, foldEvents, parseEvent } from '../task/task-fold.js';
import type { TaskEvent } from '../task/task-event.js';

const LOG_PAGE = 500;

/**
 * The task as it was at `sequence`, from the stored task when that is the moment it shows, else from the log.
 * Throws TaskNotFoundError when the caller has no such task (any more).
 */
export async function taskAt(
  store: TaskStore,
  ctx: CallContext,
  taskId: string,
  sequence: number,
  known?: StoredTask,
): Promise<Task> {
  const stored = known ?? (await store.get(ctx, taskId, { unlisted: true }));
  if (!stored) throw new TaskNotFoundError(taskId);
  if (stored.sequence === sequence) return foldStored(stored);
  const metadata = stored.metadata === undefined ? {} : { metadata: JSON.parse(stored.metadata) as Task['metadata'] };
  const fold = new TaskFold({ ...blankTask(taskId, stored.contextId), ...metadata });
  for (let after = 0; after < sequence;) {
    const events = await store.readEvents(ctx, taskId, after, Math.min(LOG_PAGE, sequence - after));
    if (!events || events.length === 0) throw new TaskNotFoundError(taskId);
    for (const event of events) fold.apply(parseEvent(event));
    after = (events.at(-1) as TaskEvent).sequence;
  }
  return fold.task();
}

/** The task that `accepted` began. */
export const newTask = (contextId: string, accepted: TaskEvent): Task =>
  foldEvents(blankTask(accepted.taskId, contextId), [parseEvent(accepted)]);

const NO_HISTORY: Message[] = [];
const SUBMITTED: TaskStatus = { state: 'TASK_STATE_SUBMITTED' };

/** What the first event is applied to. */
export const blankTask = (id: string, contextId: string): Task => ({ id, contextId, status: SUBMITTED, history: NO_HISTORY });
