import { createHash } from 'node:crypto';
import {
  InvalidParamsError,
  TaskNotFoundError,
  UnsupportedOperationError,
  type Message,
  type SendMessageRequest,
} from '#protocol';
import type { CallContext } from '../call-context.js';
import type { EventPublisher } from '../execution/event-publisher.js';
import type { Logger } from '../logger.js';
import { isTaskId, newId } from '../new-id.js';
import type { AgentDefinition } from '../ports/agent-registry.js';
import type { Accepted, AcceptRefusal, AcceptResult, TaskStore } from '../ports/task-store.js';
import type { WorkQueue } from '../ports/work-queue.js';
import type { TaskReader } from '../readers/task-reader.js';
import type { TaskReaders } from '../readers/task-readers.js';
import { EVERY_EVENT_EXTENSION } from '../push/every-event.js';
import { refuseUnsupportedModes } from './content-modes.js';
import { INLINE_PUSH_CONFIG, tooManyPushConfigs, type PushConfigs } from './push-configs.js';

/** No log is this long: what `heads` tells of a reader that stands here is only whether its task is there. */
const MOST_SEQUENCE = 2 ** 31 - 1;

/** How the API learns what an agent declares. Rejects with AgentNotFoundError for an agent that nobody announced. */
export interface Agents {
  find(agentId: string): Promise<AgentDefinition>;
}

export interface AcceptedMessage {
  readonly accepted: Accepted;
  /** Positioned after the accepted event. */
  readonly reader: TaskReader;
  /** The task existed before this message, or the answer is a replay: its events do not start with this accept. */
  readonly continued: boolean;
  /** The client may be shown a Task; an agent that may answer with a Message holds it back. */
  readonly listed: boolean;
}

export interface MessageAcceptorParts {
  readonly agents: Agents;
  readonly store: TaskStore;
  readonly queue: WorkQueue;
  readonly readers: TaskReaders;
  readonly publisher: EventPublisher;
  readonly pushConfigs: PushConfigs;
  readonly logger: Logger;
}

/**
 * The start of both sends: refuse what must not be stored, listen, commit, then publish and hint. In that order: an event of the task
 * can only come after someone listens for it, and a worker can only be told of what is committed.
 */
export class MessageAcceptor {
  constructor(private readonly parts: MessageAcceptorParts) {}

  async accept(ctx: CallContext, request: SendMessageRequest): Promise<AcceptedMessage> {
    const { agents, pushConfigs } = this.parts;
    const agent = await agents.find(ctx.agentId);
    if (request.configuration?.taskPushNotificationConfig) pushConfigs.requireOffered();
    refuseUnsupportedModes(agent.card, request);
    const { referenceTaskIds } = request.message;
    const message = referenceTaskIds ? await this.#withVisible(ctx, request.message, referenceTaskIds) : request.message;
    return message.taskId === undefined
      ? this.#acceptNew(ctx, request, message, agent)
      : this.#acceptFollowUp(ctx, request, message, message.taskId);
  }

  /** Without references to tasks that the caller may not see: an agent could read them with rights of its own. */
  async #withVisible(ctx: CallContext, message: Message, referenceTaskIds: readonly string[]): Promise<Message> {
    const { referenceTaskIds: _, ...rest } = message;
    const hidden = await this.parts.store.heads(referenceTaskIds.map((taskId) => ({ ctx, taskId, after: MOST_SEQUENCE })));
    const visible = referenceTaskIds.filter((taskId) => !hidden.has(taskId));
    return visible.length === 0 ? rest : { ...rest, referenceTaskIds: visible };
  }

  async #acceptNew(
    ctx: CallContext,
    request: SendMessageRequest,
    message: Message,
    agent: AgentDefinition,
  ): Promise<AcceptedMessage> {
    const taskId = newId();
    const contextId = message.contextId ?? newId();
    const listed = agent.answers === 'task' || request.configuration?.returnImmediately === true;
    const reader = this.parts.readers.openOwn(ctx, taskId);
    try {
      const result = await this.parts.store.acceptNew(ctx, {
        taskId,
        contextId,
        message: { ...message, taskId, contextId },
        origin: this.parts.readers.replicaId,
        listed,
        ...this.#sharedInput(ctx, taskId, request),
      });
      if (!isAccepted(result)) throw refusalOf(result, request);
      ctx.onAccepted?.(result);
      if (result.outcome === 'accepted') this.parts.publisher.tellDispatchers([result.event]);
      this.#hint(ctx, result);
      if (result.taskId !== taskId) {
        reader.close();
        return await this.#rejoin(ctx, result, listed);
      }
      reader.start(result.event.sequence);
      return { accepted: result, reader, continued: false, listed };
    } catch (error) {
      reader.close();
      throw error;
    }
  }

  async #acceptFollowUp(
    ctx: CallContext,
    request: SendMessageRequest,
    message: Message,
    taskId: string,
  ): Promise<AcceptedMessage> {
    if (!isTaskId(taskId)) throw new TaskNotFoundError(taskId);
    const reader = await this.parts.readers.open(ctx, taskId);
    try {
      const result = await this.parts.store.acceptFollowUp(ctx, {
        taskId,
        ...(message.contextId === undefined ? {} : { contextId: message.contextId }),
        message,
        ...this.#sharedInput(ctx, taskId, request),
      });
      if (!isAccepted(result)) throw refusalOf(result, request);
      ctx.onAccepted?.(result);
      // Of a new task nobody else can know yet; of this one the other readers are told.
      if (result.outcome === 'accepted') this.parts.publisher.publish(result.origin, taskId, [result.event]);
      this.#hint(ctx, result);
      reader.start(result.event.sequence, result.outcome === 'replayed');
      return { accepted: result, reader, continued: true, listed: true };
    } catch (error) {
      reader.close();
      throw error;
    }
  }

  /** The idempotency key named a task that exists: wait for the same turn of it. */
  async #rejoin(ctx: CallContext, accepted: Accepted, listed: boolean): Promise<AcceptedMessage> {
    const reader = await this.parts.readers.open(ctx, accepted.taskId);
    reader.start(accepted.event.sequence, true);
    return { accepted, reader, continued: true, listed };
  }

  #sharedInput(ctx: CallContext, taskId: string, request: SendMessageRequest) {
    const config = request.configuration?.taskPushNotificationConfig;
    return {
      ...sharedInput(ctx, request),
      ...(config === undefined ? {} : { pushConfig: this.parts.pushConfigs.inlineDraft(ctx, taskId, config) }),
    };
  }

  /** Not awaited: a slow queue delays no answer, and the reconciler hints what was lost. */
  #hint(ctx: CallContext, { taskId, turn, epoch }: Accepted): void {
    this.parts.queue.enqueue([{ agentId: ctx.agentId, taskId, turn, epoch }]).catch((err: unknown) => {
      this.parts.logger.warn('A hint may not have reached the queue; the reconciler repeats it', {
        agentId: ctx.agentId,
        taskId,
        err,
      });
    });
  }
}

/** What the agent is told of the extensions that the client activated: not of those that are the host's. */
const extensionsOf = ({ extensions }: CallContext): readonly string[] =>
  extensions.filter((uri) => uri !== EVERY_EVENT_EXTENSION);

function sharedInput(ctx: CallContext, request: SendMessageRequest) {
  const { metadata, configuration } = request;
  const extensions = extensionsOf(ctx);
  return {
    ...(metadata === undefined ? {} : { requestMetadata: metadata }),
    ...(configuration?.acceptedOutputModes === undefined ? {} : { acceptedOutputModes: configuration.acceptedOutputModes }),
    ...(extensions.length === 0 ? {} : { extensions }),
    ...(ctx.idempotencyKey === undefined ? {} : { requestHash: hashOf(request) }),
  };
}

const hashOf = (request: SendMessageRequest): string => createHash('sha256').update(JSON.stringify(request)).digest('hex');

const isAccepted = (result: AcceptResult): result is Accepted => result.outcome === 'accepted' || result.outcome === 'replayed';

function refusalOf(refusal: AcceptRefusal, { message }: SendMessageRequest): Error {
  const taskId = message.taskId ?? '';
  switch (refusal.outcome) {
    case 'not-found':
      return new TaskNotFoundError(taskId);
    case 'terminal':
      return new UnsupportedOperationError(`The task has ended (${refusal.state}) and takes no further messages`, { taskId });
    case 'canceling':
      return new UnsupportedOperationError('The task is being canceled and takes no further messages', { taskId });
    case 'context-mismatch':
      return new InvalidParamsError([{ field: 'message.contextId', description: 'is not the context of the task' }]);
    case 'key-mismatch':
      return new InvalidParamsError([
        { field: 'Idempotency-Key', description: 'was used with another request; use a new key for a new request' },
      ]);
    case 'too-many-push-configs':
      return tooManyPushConfigs(INLINE_PUSH_CONFIG);
  }
}
