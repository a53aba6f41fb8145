import {
  InvalidParamsError,
  TaskNotFoundError,
  UnsupportedOperationError,
  isTerminal,
  type SubscribeToTaskRequest,
} from '#protocol';
import type { CallContext } from '../call-context.js';
import type { TaskStore } from '../ports/task-store.js';
import type { TaskReaders } from '../readers/task-readers.js';
import type { FrameStream } from '../request-handler.js';
import { taskAt } from './task-at.js';
import { TaskFrames, taskFrame } from './task-frames.js';

/** SubscribeToTask (section 3.1.6), from now or, with `lastEventId`, from where a reader stopped. Ends at a terminal state. */
export class SubscribeToTask {
  constructor(
    private readonly store: TaskStore,
    private readonly readers: TaskReaders,
  ) {}

  async execute(ctx: CallContext, { id }: SubscribeToTaskRequest, lastEventId?: number): Promise<FrameStream> {
    const stored = await this.store.get(ctx, id);
    if (!stored) throw new TaskNotFoundError(id);
    const ended = isTerminal(stored.state);
    if (lastEventId === undefined && ended) {
      throw new UnsupportedOperationError(`The task has ended (${stored.state}); read it with GetTask`, { taskId: id });
    }
    const from = lastEventId ?? stored.sequence;
    if (from < 1 || from > stored.sequence) {
      throw new InvalidParamsError([{ field: 'Last-Event-ID', description: `must be from 1 to ${stored.sequence}` }]);
    }
    const opening = taskFrame(await taskAt(this.store, ctx, id, from, stored), from);
    const isLast = ({ state }: { state: typeof stored.state }): boolean => isTerminal(state);
    if (ended && from === stored.sequence) return new TaskFrames({ reader: undefined, opening, isLast });
    const reader = await this.readers.open(ctx, id);
    // What came before the task's channel was listened to is in the log only.
    reader.start(from, true);
    return new TaskFrames({ reader, opening, isLast });
  }
}
