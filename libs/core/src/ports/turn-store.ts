import type { Message, Struct, TaskState } from '#protocol';
import type { TaskEvent } from '../task/task-event.js';
import type { StoredTask } from './task-store.js';

/** What an agent declares for the case that the process that runs it disappears. */
export interface RecoveryPolicy {
  readonly recovery: 'retry' | 'fail';
  readonly maxAttempts: number;
}

export interface ClaimRequest {
  readonly taskId: string;
  readonly workerId: string;
  readonly leaseMs: number;
  readonly policy: RecoveryPolicy;
  /** Contract version that this worker speaks; a row that needs a newer one is refused. */
  readonly contract: number;
  /**
   * The answer to an earlier claim of this worker was lost: a lease that this worker holds is taken too, with a new epoch. Only
   * for a caller that has no other claim and no turn of the task under way.
   */
  readonly again?: boolean;
}

/** Names a lease: whoever presents another owner or epoch than the row's is fenced off. */
export interface Fence {
  readonly taskId: string;
  readonly workerId: string;
  readonly epoch: number;
}

export interface Claim {
  readonly fence: Fence;
  readonly tenant: string;
  readonly owner: string;
  readonly agentId: string;
  readonly origin: string;
  /** `ended + 1`: the accepted message that this lease executes. */
  readonly turn: number;
  /** 1 for the first attempt of this turn. */
  readonly attempt: number;
  readonly appendNo: number;
  /** The message of `turn`. */
  readonly message: Message;
  readonly requestMetadata?: Struct;
  readonly acceptedOutputModes?: readonly string[];
  readonly extensions?: readonly string[];
  /** JSON: the last checkpoint of an earlier attempt of this turn. */
  readonly checkpoint?: string;
  /** As of the claim, with the events that the snapshot lacks. */
  readonly task: StoredTask;
}

/**
 * An event to append. A status event is given in three pieces, because the store, under the row's lock, may have to
 * record another state than the agent asked for (rules `finalState` describes); the payload is
 * `head + status + tail` with `status = {"state":"<state>"` + `statusRest` and `statusRest` ending in `}`.
 */
export type NewEvent =
  | {
      readonly kind: 'status';
      readonly state: TaskState;
      readonly head: string;
      readonly statusRest: string;
      readonly tail: string;
      readonly statusTimestamp: number;
    }
  | { readonly kind: 'artifact'; readonly payload: string }
  | { readonly kind: 'answer'; readonly payload: string; readonly statusRest: string; readonly statusTimestamp: number };

export interface Append {
  readonly fence: Fence;
  /** `appendNo + 1` of the last accepted append; the same number again is answered `duplicate`. */
  readonly number: number;
  readonly turn: number;
  readonly attempt: number;
  readonly leaseMs: number;
  /** In order. Only the last may end the turn. May be empty for an append that has a checkpoint. */
  readonly events: readonly NewEvent[];
  /** The last event ends the turn: `ended + 1` and the release of the lease happen in the same statement. */
  readonly endsTurn: boolean;
  /** Written only when the row's sequence is still `base` (the writer has seen every event up to it). */
  readonly snapshot?: { readonly base: number; readonly artifacts: string; readonly history: string };
  /** Replaces the task's metadata when given. */
  readonly metadata?: string;
  /**
   * JSON: replaces the turn's checkpoint, which its next claim gives back. With `endsTurn` the checkpoint is forgotten, whatever is
   * said here; null says only that there is one.
   */
  readonly checkpoint?: string | null;
  /** Makes an unlisted row a task (its first Task event). */
  readonly list: boolean;
}

/**
 * - `appended`: recorded as `first` … `first + events.length - 1`. `finalState` is the state recorded for the last
 *   event: COMPLETED with messages pending becomes WORKING and ends only the turn; an interrupted state with a cancel
 *   requested becomes CANCELED.
 * - `duplicate`: this number was recorded before, with these positions.
 * - `fenced`: the lease is another's, released, or the task is terminal. Nothing was recorded; stop.
 */
export type AppendResult =
  | {
      readonly outcome: 'appended' | 'duplicate';
      readonly first: number;
      readonly finalState: TaskState;
      readonly cancelRequested: boolean;
      readonly cancelMetadata?: Struct;
      /** Messages accepted and not yet executed, after this append. */
      readonly pending: number;
      readonly epoch: number;
      /** The task has a push configuration. */
      readonly pushes?: true;
    }
  | { readonly outcome: 'fenced' };

export interface HeartbeatAnswer {
  readonly taskId: string;
  readonly epoch: number;
  readonly status: 'lost' | 'cancel';
  readonly cancelMetadata?: Struct;
}

/** Pieces of a status event that ends a task, as in `NewEvent`. */
export interface EndingStatus {
  readonly head: string;
  readonly statusRest: string;
  readonly tail: string;
  readonly statusTimestamp: number;
}

export interface ReleaseRequest {
  readonly fence: Fence;
  readonly policy: RecoveryPolicy;
  /** The attempt was lost, and the last one ends the task as FAILED; otherwise none is counted. */
  readonly countsAttempt: boolean;
  readonly failed: EndingStatus;
  readonly canceled: EndingStatus;
}

export interface Released {
  /** `released`: another worker may claim it. `ended`: the policy made it FAILED (or a cancel made it CANCELED). */
  readonly outcome: 'released' | 'ended' | 'fenced';
  readonly turn: number;
  readonly epoch: number;
  /** The status event that was committed, when it ended. */
  readonly event?: TaskEvent;
}

/** The lease holder's side of the store. No call context: the fence says whose task it is. */
export abstract class TurnStore {
  /**
   * Takes the lease when the task is not terminal, has no owner (an expired one is still an owner), a message is
   * pending and no cancel is requested; otherwise undefined. Refusal is normal. Rejects with StoreUnavailableError when the
   * outcome is unknown: repeat with `again`.
   */
  abstract claim(request: ClaimRequest): Promise<Claim | undefined>;

  /** Rejects with StoreUnavailableError when the outcome is unknown: repeat with the same number. */
  abstract append(append: Append): Promise<AppendResult>;

  /** Renews all leases of one worker in one statement; answers only those lost or asked to cancel. */
  abstract heartbeat(workerId: string, fences: readonly Fence[], leaseMs: number): Promise<readonly HeartbeatAnswer[]>;

  /**
   * Hand-back: with `retry` the lease ends and the turn is free for the next worker; with `fail` the task is FAILED.
   * A cancel that was requested makes it CANCELED in both cases.
   */
  abstract release(request: ReleaseRequest): Promise<Released>;

  /** Milliseconds to add to this process's clock to get the database's. */
  abstract clockOffset(): Promise<number>;
}
