import type {
  CancelTaskRequest,
  GetTaskRequest,
  ListTasksRequest,
  ListTasksResponse,
  SendMessageRequest,
  SendMessageResponse,
  StreamResponse,
  SubscribeToTaskRequest,
  Task,
} from '#protocol';
import type { PeerInterface } from '../agent-card/peer-interface.js';

/** For one HTTP request. */
export interface RequestOptions {
  /** Sent beside those of the peer; what names version or content is the binding's. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

/** An event of a stream. `id` is what `Last-Event-ID` resumes after, where the agent gives one. */
export interface Received {
  readonly id?: string;
  readonly response: StreamResponse;
}

/** The operations of another agent over one interface of it: requests and answers in the form of 1.0, one HTTP request each. */
export interface Binding {
  readonly peer: PeerInterface;
  send(request: SendMessageRequest, options: RequestOptions): Promise<SendMessageResponse>;
  get(request: GetTaskRequest, options: RequestOptions): Promise<Task>;
  cancel(request: CancelTaskRequest, options: RequestOptions): Promise<Task>;
  /** Throws PeerNotServedError in 0.3, which has no lists. */
  list(request: ListTasksRequest, options: RequestOptions): Promise<ListTasksResponse>;
  /** Its errors before the first event are those of `send`. */
  stream(request: SendMessageRequest, options: RequestOptions): AsyncGenerator<Received>;
  subscribe(request: SubscribeToTaskRequest, options: RequestOptions): AsyncGenerator<Received>;
}
