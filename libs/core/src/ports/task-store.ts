import type { JsonValue, Message, Struct, TaskState, TaskStatus, WireText } from '#protocol';
import type { CallContext } from '../call-context.js';
import type { TaskView } from '../task/render-task.js';
import type { TaskEvent } from '../task/task-event.js';
import type { PushConfigDraft } from './push-config-store.js';

export interface AcceptNew {
  readonly taskId: string;
  readonly contextId: string;
  /** With `taskId` and `contextId` filled in. */
  readonly message: Message;
  /** The request's metadata; becomes nothing on the task, reaches the executor. */
  readonly requestMetadata?: Struct;
  readonly acceptedOutputModes?: readonly string[];
  /** URIs of the extensions that the client activated, when it did any. */
  readonly extensions?: readonly string[];
  /** The API replica whose channel gets this task's events. */
  readonly origin: string;
  /** False keeps the row out of lists, counts and reads until its first Task event (Message-only agents). */
  readonly listed: boolean;
  /** SHA-256 of the canonical request, compared when an idempotency key is used again. */
  readonly requestHash?: string;
  /** Stored with the task: this message's event and every later one is owed to it. */
  readonly pushConfig?: PushConfigDraft;
}

export interface AcceptFollowUp {
  readonly taskId: string;
  /** When the client named one; a mismatch is refused. */
  readonly contextId?: string;
  readonly message: Message;
  readonly requestMetadata?: Struct;
  readonly acceptedOutputModes?: readonly string[];
  readonly extensions?: readonly string[];
  readonly requestHash?: string;
  /** Stored with the message: a new one is owed this message's event and every later one. */
  readonly pushConfig?: PushConfigDraft;
}

export interface Accepted {
  readonly outcome: 'accepted' | 'replayed';
  readonly taskId: string;
  readonly contextId: string;
  /** The turn that this message became: the n-th accepted message of the task. */
  readonly turn: number;
  /** Lease epoch as of the accept; part of the hint's job id. */
  readonly epoch: number;
  /** The API replica that accepted the task's first message. */
  readonly origin: string;
  /** The `accepted` event. For a replay: the one of the first accept. */
  readonly event: TaskEvent;
}

export type AcceptRefusal =
  | { readonly outcome: 'not-found' }
  | { readonly outcome: 'terminal'; readonly state: TaskState }
  | { readonly outcome: 'canceling' }
  | { readonly outcome: 'context-mismatch' }
  /** The idempotency key was used with another request. */
  | { readonly outcome: 'key-mismatch' }
  /** The task has as many push configurations as it may have. */
  | { readonly outcome: 'too-many-push-configs' };

export type AcceptResult = Accepted | AcceptRefusal;

/** A task as of one moment: the row with its snapshot, and the events that the snapshot does not hold. */
export interface StoredTask {
  readonly taskId: string;
  readonly contextId: string;
  readonly state: TaskState;
  readonly status: WireText<TaskStatus>;
  readonly metadata?: WireText<Struct>;
  readonly sequence: number;
  readonly accepted: number;
  readonly ended: number;
  readonly listed: boolean;
  readonly cancelRequested: boolean;
  readonly leaseOwner?: string;
  readonly leaseEpoch: number;
  /** JSON arrays as text, folded up to `snapshotSequence`; absent when there is no snapshot. */
  readonly artifacts?: string;
  readonly history?: string;
  readonly snapshotSequence: number;
  /** `snapshotSequence + 1` … `sequence`. */
  readonly events: readonly TaskEvent[];
}

export interface ListQuery {
  readonly contextId?: string;
  readonly state?: TaskState;
  /** Inclusive lower bound in milliseconds since the epoch. */
  readonly statusTimestampAfter?: number;
  /** The last row of the page before. */
  readonly after?: ListPosition;
  readonly limit: number;
  /** How much of each task the client asked for; `historyLength` is a number here. */
  readonly view: TaskView & { readonly historyLength: number };
}

export interface ListPosition {
  readonly statusTimestamp: number;
  readonly taskId: string;
}

/** What a client is shown of a task. */
export type TaskContent = Pick<StoredTask, 'taskId' | 'contextId' | 'status' | 'metadata' | 'artifacts' | 'history' | 'events'>;

export interface ListResult {
  /** The tasks in ProtoJSON, newest status first, ties by id descending, with commas between them. */
  readonly tasks: string;
  /** The last task of this page, when there is a next one. */
  readonly last?: ListPosition;
  /** Exact number of tasks that match the filters, whatever the page. */
  readonly totalSize: number;
}

export type CancelResult =
  | { readonly outcome: 'canceled'; readonly contextId: string; readonly origin: string; readonly event: TaskEvent }
  | { readonly outcome: 'already-canceled' }
  /** A lease holder runs it; it has been asked to stop. */
  | { readonly outcome: 'requested'; readonly leaseOwner: string; readonly requestedAt: number }
  | { readonly outcome: 'not-cancelable'; readonly state: TaskState }
  | { readonly outcome: 'not-found' };

export interface ReadCursor {
  readonly ctx: CallContext;
  readonly taskId: string;
  /** Sequence of the last event that the reader has. */
  readonly after: number;
}

/**
 * Tasks and their event log, as clients may see them. What `ctx` may not see is as if it were not there.
 * Every method rejects with StoreUnavailableError when the database cannot be reached.
 */
export abstract class TaskStore {
  abstract acceptNew(ctx: CallContext, input: AcceptNew): Promise<AcceptResult>;
  abstract acceptFollowUp(ctx: CallContext, input: AcceptFollowUp): Promise<AcceptResult>;

  /** Row, snapshot and later events of one moment; undefined when there is none for this caller or it is not listed. */
  abstract get(ctx: CallContext, taskId: string, options?: { unlisted?: boolean }): Promise<StoredTask | undefined>;

  /** At most `limit` events with a sequence in (`after`, …], ascending; undefined when the task is gone. */
  abstract readEvents(ctx: CallContext, taskId: string, after: number, limit: number): Promise<readonly TaskEvent[] | undefined>;

  /** For each cursor whose task has later events (or is gone: 0), its committed sequence. One query for all. */
  abstract heads(cursors: readonly ReadCursor[]): Promise<ReadonlyMap<string, number>>;

  abstract list(ctx: CallContext, query: ListQuery): Promise<ListResult>;

  /**
   * Records the wish once; commits CANCELED in the same statement when nobody holds the lease, or when `force` is set
   * (the grace is over). `metadata` reaches the lease holder.
   */
  abstract cancel(ctx: CallContext, taskId: string, options: { metadata?: JsonValue; force: boolean }): Promise<CancelResult>;
}

/** The database cannot be reached or did not answer in time. The outcome of a write is unknown. */
export class StoreUnavailableError extends Error {
  override readonly name = 'StoreUnavailableError';
}
