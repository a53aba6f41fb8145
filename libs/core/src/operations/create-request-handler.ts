import { UnavailableError } from '#protocol';
import { EventPublisher } from '../execution/event-publisher.js';
import type { Logger } from '../logger.js';
import type { EventBus } from '../ports/event-bus.js';
import { StoreUnavailableError, type TaskStore } from '../ports/task-store.js';
import type { WorkQueue } from '../ports/work-queue.js';
import type { TaskReaders } from '../readers/task-readers.js';
import type { RequestHandler } from '../request-handler.js';
import { MessageAcceptor, type Agents } from './accept-message.js';
import { CancelTask } from './cancel-task.js';
import { GetTask } from './get-task.js';
import { ListTasks } from './list-tasks.js';
import { PageTokens } from './page-token.js';
import { PushConfigs, type PushSetup } from './push-configs.js';
import { SendMessage } from './send-message.js';
import { SendStreamingMessage } from './send-streaming-message.js';
import { SignedPositions } from './signed-position.js';
import { SubscribeToTask } from './subscribe-to-task.js';

export interface RequestHandlerDeps {
  readonly agents: Agents;
  readonly store: TaskStore;
  readonly queue: WorkQueue;
  readonly bus: EventBus;
  readonly readers: TaskReaders;
  readonly logger: Logger;
  /** Signs page tokens; the same on every replica. */
  readonly pageTokenKey: Buffer;
  /** How long CancelTask waits for the agent before it commits CANCELED itself, in milliseconds. */
  readonly cancelGraceMs: number;
  /** Absent: push notifications are not offered. */
  readonly push?: PushSetup;
}

/** The operations of one API process. When the store is away, each of them rejects with UnavailableError. */
export function createRequestHandler(deps: RequestHandlerDeps): RequestHandler {
  const { store, readers, bus, logger } = deps;
  const publisher = new EventPublisher(bus, logger);
  const pushConfigs = new PushConfigs(deps.push, new SignedPositions(deps.pageTokenKey), publisher);
  const acceptor = new MessageAcceptor({
    agents: deps.agents,
    store,
    queue: deps.queue,
    readers,
    publisher,
    pushConfigs,
    logger,
  });
  const sendMessage = new SendMessage(acceptor, store);
  const sendStreamingMessage = new SendStreamingMessage(acceptor, store);
  const getTask = new GetTask(store);
  const listTasks = new ListTasks(store, new PageTokens(deps.pageTokenKey));
  const cancelTask = new CancelTask(store, readers, bus, publisher, logger, deps.cancelGraceMs);
  const subscribeToTask = new SubscribeToTask(store, readers);
  return {
    sendMessage: (ctx, request, signal) => answered(sendMessage.execute(ctx, request, signal)),
    sendStreamingMessage: (ctx, request) => answered(sendStreamingMessage.execute(ctx, request)),
    getTask: (ctx, request) => answered(getTask.execute(ctx, request)),
    listTasks: (ctx, request) => answered(listTasks.execute(ctx, request)),
    cancelTask: (ctx, request) => answered(cancelTask.execute(ctx, request)),
    subscribeToTask: (ctx, request, lastEventId) => answered(subscribeToTask.execute(ctx, request, lastEventId)),
    createTaskPushNotificationConfig: (ctx, config) => answered(pushConfigs.create(ctx, config)),
    getTaskPushNotificationConfig: (ctx, request) => answered(pushConfigs.get(ctx, request)),
    listTaskPushNotificationConfigs: (ctx, request) => answered(pushConfigs.list(ctx, request)),
    deleteTaskPushNotificationConfig: (ctx, request) => answered(pushConfigs.delete(ctx, request)),
  };
}

const answered = <T>(operation: Promise<T>): Promise<T> =>
  operation.catch((error: unknown) => {
    if (!(error instanceof StoreUnavailableError)) throw error;
    throw new UnavailableError('The task store cannot be reached; try again', {});
  });
