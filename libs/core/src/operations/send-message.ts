import { UnavailableError, type SendMessageRequest, type SendMessageResponse, type Task, type WireText } from '#protocol';
import type { CallContext } from '../call-context.js';
import type { TaskStore } from '../ports/task-store.js';
import type { TaskReader } from '../readers/task-reader.js';
import { viewOf } from '../task/render-task.js';
import type { TaskEvent } from '../task/task-event.js';
import type { MessageAcceptor } from './accept-message.js';
import { answers } from './answers.js';
import { HeldTask } from './held-task.js';
import { newTask, taskAt } from './task-at.js';

/** What is left of a blocking send while its turn runs. */
interface Wait {
  /** Positioned after the accepted event. */
  readonly reader: TaskReader;
  readonly turn: number;
  /** For a new task. */
  readonly held: HeldTask | undefined;
  readonly historyLength: number | undefined;
}

/** SendMessage (section 3.1.1): blocking unless `returnImmediately`. */
export class SendMessage {
  constructor(
    private readonly acceptor: MessageAcceptor,
    private readonly store: TaskStore,
  ) {}

  async execute(ctx: CallContext, request: SendMessageRequest, signal?: AbortSignal): Promise<WireText<SendMessageResponse>> {
    const { reader, accepted, continued } = await this.acceptor.accept(ctx, request);
    const { taskId, contextId, turn, event } = accepted;
    const { returnImmediately, historyLength } = request.configuration ?? {};
    if (returnImmediately) {
      reader.close();
      const task = continued ? await taskAt(this.store, ctx, taskId, event.sequence) : newTask(contextId, event);
      return answerWith(task, historyLength);
    }
    const held = continued ? undefined : new HeldTask(contextId, event);
    // Not awaited here: this call, and the request with it, is over before the wait begins.
    return this.#answer({ reader, turn, held, historyLength }, signal);
  }

  async #answer(
    { reader, turn, held, historyLength }: Wait,
    signal: AbortSignal | undefined,
  ): Promise<WireText<SendMessageResponse>> {
    const close = (): void => reader.close();
    signal?.addEventListener('abort', close, { once: true });
    // A client that left before the commit was answered: its signal tells of nothing any more.
    if (signal?.aborted) close();
    try {
      const last = await awaitAnswer(reader, turn, held);
      if (last.kind === 'answer') return last.payload as WireText<SendMessageResponse>;
      const folded = last.withoutMetadata ? held?.task() : undefined;
      return answerWith(folded ?? (await taskAt(this.store, reader.ctx, reader.taskId, last.sequence)), historyLength);
    } finally {
      signal?.removeEventListener('abort', close);
      reader.close();
    }
  }
}

/** The event that answers the message of `turn`. Rejects with UnavailableError when the wait ends first. */
async function awaitAnswer(reader: TaskReader, turn: number, held: HeldTask | undefined): Promise<TaskEvent> {
  for (;;) {
    const events = await reader.next();
    if (!events) {
      throw new UnavailableError('The wait for the task ended before the task did; the task goes on', { taskId: reader.taskId });
    }
    for (const event of events) {
      held?.add(event);
      if (answers(event, turn)) return event;
    }
  }
}

function answerWith(task: Task, historyLength: number | undefined): WireText<SendMessageResponse> {
  return `{"task":${JSON.stringify(viewOf(task, { historyLength, artifacts: true }))}}`;
}
