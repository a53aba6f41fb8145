import type { Struct, WireText } from '#protocol';
import type { TaskEvent } from '../task/task-event.js';

export interface PushClaimRequest {
  readonly owner: string;
  readonly leaseMs: number;
  /** Most configurations that are claimed. */
  readonly limit: number;
  /** Most of one receiver, unless `rooms` names it. */
  readonly perReceiver: number;
  /** Receivers with less room than that; 0 leaves one out. */
  readonly rooms: ReadonlyMap<string, number>;
  /** Only configurations of these tasks. Without it all that are due are looked through. */
  readonly taskIds?: readonly string[];
}

/** Names a configuration's lease: whoever presents another owner or epoch than the row's is fenced off. */
export interface PushFence {
  readonly taskId: string;
  readonly configId: string;
  readonly owner: string;
  readonly epoch: number;
}

/** A configuration with events that are owed to it. */
export interface PushClaim {
  readonly fence: PushFence;
  readonly url: string;
  /** The URL's origin. */
  readonly receiver: string;
  /** `authentication.scheme`. */
  readonly scheme?: string;
  /** `token` and `authentication.credentials`, sealed. */
  readonly secrets?: Uint8Array;
  readonly everyEvent: boolean;
  readonly protocolVersion: '1.0' | '0.3';
  readonly cursor: number;
  /** Attempts that were lost on the event that is owed. */
  readonly failures: number;
}

/** A configuration to which something is owed, and that was not claimed: `leased` to another, or for lack of room at its receiver. */
export interface WaitingPush {
  readonly taskId: string;
  readonly receiver: string;
  readonly leased: boolean;
}

export interface PushLog {
  readonly contextId: string;
  /** Of the task now: no event carries it. */
  readonly metadata?: WireText<Struct>;
  readonly events: readonly TaskEvent[];
}

/** How an attempt ended. `refused`: the address may not be called, and nothing was sent. */
export interface PushAttempt {
  readonly sequence: number;
  /** 1 for the first of this event. */
  readonly attempt: number;
  readonly outcome: 'delivered' | 'failed' | 'refused';
  readonly httpStatus?: number;
  /** A few words; nothing of what was sent or answered. */
  readonly error?: string;
  readonly durationMs: number;
}

export interface PushSettlement {
  readonly fence: PushFence;
  /** The last event that was delivered or is not for this receiver. */
  readonly cursor: number;
  /** The last event that was looked at. */
  readonly seen: number;
  /** No event can follow the cursor. */
  readonly finished: boolean;
  readonly attempt?: PushAttempt;
  /** The lease is renewed for this time; without it, it ends. */
  readonly leaseMs?: number;
  /** When the configuration is tried again, in milliseconds from now. */
  readonly dueInMs: number;
  /** A configuration that has failed for longer is given up. */
  readonly maxAgeMs: number;
}

/**
 * `dead`: settled, and given up after this failure. `fenced`: the configuration is another's by now, changed or gone, and nothing was
 * written.
 */
export interface PushSettled {
  readonly outcome: 'settled' | 'dead' | 'fenced';
  /** There are later events than the last that was looked at. */
  readonly more: boolean;
}

/**
 * Who delivers push notifications, and how far that has come. What follows a configuration's cursor in its task's log is owed.
 * No call context: the fence says whose configuration it is. Every method rejects with StoreUnavailableError when the database
 * cannot be reached.
 */
export abstract class PushDeliveryStore {
  /**
   * Leases configurations to which something is owed, least recently due first, so that many dispatchers can do it at once. Of the
   * tasks that a hint names, those that have not failed are due at once. `waiting` is not all that waits.
   */
  abstract claimDue(
    request: PushClaimRequest,
  ): Promise<{ readonly claims: readonly PushClaim[]; readonly waiting: readonly WaitingPush[] }>;

  /** At most `limit` events with a sequence in (`after`, …], ascending; undefined when the task is gone. */
  abstract read(taskId: string, after: number, limit: number): Promise<PushLog | undefined>;

  /** Renews leases; resolves with those that are another's by now, or of a configuration that was changed or is gone. */
  abstract renew(fences: readonly PushFence[], leaseMs: number): Promise<readonly PushFence[]>;

  /** Moves the cursor, adds the attempt to the ledger and renews or ends the lease, in one statement, if the fence is the row's. */
  abstract settle(settlement: PushSettlement): Promise<PushSettled>;
}
