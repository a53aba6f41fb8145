import type { SendMessageRequest } from '#protocol';
import type { CallContext } from '../call-context.js';
import type { TaskStore } from '../ports/task-store.js';
import type { FrameStream } from '../request-handler.js';
import { viewOf } from '../task/render-task.js';
import type { TaskEvent } from '../task/task-event.js';
import type { MessageAcceptor } from './accept-message.js';
import { endsStream } from './answers.js';
import { newTask, taskAt } from './task-at.js';
import { TaskFrames, taskFrame } from './task-frames.js';

/** SendStreamingMessage (section 3.1.2): ends at a terminal state and at INPUT_REQUIRED, stays open over AUTH_REQUIRED. */
export class SendStreamingMessage {
  constructor(
    private readonly acceptor: MessageAcceptor,
    private readonly store: TaskStore,
  ) {}

  async execute(ctx: CallContext, request: SendMessageRequest): Promise<FrameStream> {
    const { accepted, reader, continued, listed } = await this.acceptor.accept(ctx, request);
    const { taskId, contextId, turn, event } = accepted;
    const view = { historyLength: request.configuration?.historyLength, artifacts: true };
    const frameAt = async (sequence: number) =>
      taskFrame(viewOf(await taskAt(this.store, ctx, taskId, sequence), view), sequence);
    try {
      const opening = !listed
        ? (first: TaskEvent) => frameAt(first.sequence)
        : continued
          ? await frameAt(event.sequence)
          : taskFrame(viewOf(newTask(contextId, event), view), event.sequence);
      return new TaskFrames({ reader, opening, isLast: (frame) => endsStream(frame, turn) });
    } catch (error) {
      reader.close();
      throw error;
    }
  }
}
