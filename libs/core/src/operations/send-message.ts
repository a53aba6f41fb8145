import {
  UnavailableError,
  isInterrupted,
  isTerminal,
  type SendMessageRequest,
  type SendMessageResponse,
  type Task,
  type WireText,
} from '#protocol';
import type { CallContext } from '../call-context.js';
import type { TaskStore } from '../ports/task-store.js';
import { viewOf } from '../task/render-task.js';
import type { TaskEvent } from '../task/task-event.js';
import type { AcceptedMessage, MessageAcceptor } from './accept-message.js';
import { taskAt, taskOf } from './task-at.js';

/** SendMessage (section 3.1.1): blocking unless `returnImmediately`. */
export class SendMessage {
  constructor(
    private readonly acceptor: MessageAcceptor,
    private readonly store: TaskStore,
  ) {}

  async execute(ctx: CallContext, request: SendMessageRequest, signal?: AbortSignal): Promise<WireText<SendMessageResponse>> {
    const message = await this.acceptor.accept(ctx, request);
    const { reader, accepted, continued } = message;
    const close = (): void => reader.close();
    signal?.addEventListener('abort', close, { once: true });
    try {
      const historyLength = request.configuration?.historyLength;
      if (request.configuration?.returnImmediately) {
        const task = continued
          ? await taskAt(this.store, ctx, accepted.taskId, accepted.event.sequence)
          : taskOf(accepted.contextId, [accepted.event]);
        return answerWith(task, historyLength);
      }
      const events = await awaitTurn(message);
      const last = events.at(-1) as TaskEvent;
      if (last.kind === 'answer') return last.payload as WireText<SendMessageResponse>;
      const task = continued
        ? await taskAt(this.store, ctx, accepted.taskId, last.sequence)
        : taskOf(accepted.contextId, [accepted.event, ...events]);
      return answerWith(task, historyLength);
    } finally {
      signal?.removeEventListener('abort', close);
      reader.close();
    }
  }
}

/**
 * The events after the accept, up to the first that answers the message: judged one by one from the log, so that an earlier
 * turn's question never answers a later message. Rejects with UnavailableError when the wait ends first.
 */
async function awaitTurn({ reader, accepted }: AcceptedMessage): Promise<TaskEvent[]> {
  const seen: TaskEvent[] = [];
  for (;;) {
    const events = await reader.next();
    if (!events) {
      throw new UnavailableError('The wait for the task ended before the task did; the task goes on', {
        taskId: accepted.taskId,
      });
    }
    for (const event of events) {
      seen.push(event);
      if (answers(event, accepted.turn)) return seen;
    }
  }
}

/** Does `event` answer the message that became `turn`? */
export const answers = (event: TaskEvent, turn: number): boolean =>
  isTerminal(event.state) || (event.endsTurn && event.turn >= turn && isInterrupted(event.state));

function answerWith(task: Task, historyLength: number | undefined): WireText<SendMessageResponse> {
  return `{"task":${JSON.stringify(viewOf(task, { historyLength, artifacts: true }))}}`;
}
