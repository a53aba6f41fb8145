import type {
  CancelTaskRequest,
  DeleteTaskPushNotificationConfigRequest,
  GetTaskPushNotificationConfigRequest,
  GetTaskRequest,
  ListTaskPushNotificationConfigsRequest,
  ListTaskPushNotificationConfigsResponse,
  ListTasksRequest,
  ListTasksResponse,
  SendMessageRequest,
  SendMessageResponse,
  StreamResponse,
  SubscribeToTaskRequest,
  Task,
  TaskPushNotificationConfig,
  WireText,
} from '#protocol';
import type { CallContext } from './call-context.js';

/** One frame of a stream. A frame without a task behind it (a Message answer) has sequence 0. */
export interface Frame {
  readonly sequence: number;
  readonly payload: WireText<StreamResponse>;
  /** The stream ends with this event, not because it was cut short. A frame that is a whole Task never says so. */
  readonly last?: true;
}

/**
 * A stream as a cursor over the task's log: it holds nothing for a reader that does not pull. Iterate once; ending the
 * iteration (or `close`) frees it. Batches are never empty.
 */
export interface FrameStream extends AsyncIterable<readonly Frame[]> {
  close(): void;
}

/**
 * The operations of A2A, whatever the binding. Requests are parsed and validated before they come here; answers are
 * ProtoJSON text, ready to be copied. Each method rejects with an A2AError for what the caller is meant to see.
 */
export interface RequestHandler {
  /** `signal` frees the waiter when the client goes away; the task goes on. */
  sendMessage(ctx: CallContext, request: SendMessageRequest, signal?: AbortSignal): Promise<WireText<SendMessageResponse>>;
  /** Resolves once the message is committed; every error that precedes the first frame rejects. */
  sendStreamingMessage(ctx: CallContext, request: SendMessageRequest): Promise<FrameStream>;
  getTask(ctx: CallContext, request: GetTaskRequest): Promise<WireText<Task>>;
  listTasks(ctx: CallContext, request: ListTasksRequest): Promise<WireText<ListTasksResponse>>;
  cancelTask(ctx: CallContext, request: CancelTaskRequest): Promise<WireText<Task>>;
  /** `lastEventId` resumes after that sequence. */
  subscribeToTask(ctx: CallContext, request: SubscribeToTaskRequest, lastEventId?: number): Promise<FrameStream>;
  /** `config` names its task. */
  createTaskPushNotificationConfig(
    ctx: CallContext,
    config: TaskPushNotificationConfig,
  ): Promise<WireText<TaskPushNotificationConfig>>;
  getTaskPushNotificationConfig(
    ctx: CallContext,
    request: GetTaskPushNotificationConfigRequest,
  ): Promise<WireText<TaskPushNotificationConfig>>;
  listTaskPushNotificationConfigs(
    ctx: CallContext,
    request: ListTaskPushNotificationConfigsRequest,
  ): Promise<WireText<ListTaskPushNotificationConfigsResponse>>;
  /** Resolves with the text of an empty message. */
  deleteTaskPushNotificationConfig(ctx: CallContext, request: DeleteTaskPushNotificationConfigRequest): Promise<string>;
}
