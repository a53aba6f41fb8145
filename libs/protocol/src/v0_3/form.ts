import type { Message, SendMessageResponse, StreamResponse, Task, TaskPushNotificationConfig } from '../types.js';

/**
 * The two shapes that 0.3 has. `kind`: the JSON of its JSON-RPC binding and of its push notifications, with `kind` and
 * `final`. `proto`: the ProtoJSON of its package `a2a.v1`, which HTTP+JSON carries and gRPC encodes.
 */
export type Form = 'kind' | 'proto';

/** Writes what 1.0 answers in one of the forms. A member that is undefined is not there. Pure. */
export interface AnswerForm {
  task(task: Task): object;
  message(message: Message): object;
  sendResponse(response: SendMessageResponse): object;
  /** One event of a stream; `final` says that the stream ends with it. */
  streamResponse(response: StreamResponse, final: boolean): object;
  pushConfig(config: TaskPushNotificationConfig): object;
  pushConfigs(configs: readonly TaskPushNotificationConfig[]): object;
  /** The answer to a deletion. */
  readonly deleted: object | null;
}
