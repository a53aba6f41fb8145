import type { TaskEvent } from '../task/task-event.js';
import type { EndingStatus } from './turn-store.js';

/** A task that has work and nobody working on it. */
export interface PendingWork {
  readonly taskId: string;
  readonly agentId: string;
  readonly turn: number;
  readonly epoch: number;
}

export interface ExpiredLease {
  readonly taskId: string;
  readonly contextId: string;
  readonly agentId: string;
  readonly origin: string;
  readonly epoch: number;
  readonly owner: string;
}

export interface Reaped {
  readonly taskId: string;
  readonly agentId: string;
  readonly turn: number;
  readonly epoch: number;
  /** Present when the attempts were spent (FAILED), the policy says `fail`, or a cancel was requested (CANCELED). */
  readonly event?: TaskEvent;
}

export interface OverdueCancel {
  readonly taskId: string;
  readonly contextId: string;
  readonly agentId: string;
  readonly origin: string;
}

/** What the reconciler reads and repairs. Safe to call from every worker at once. Batches are bounded by `limit`. */
export abstract class ReconcileStore {
  /**
   * Tasks with pending > 0, no owner and no cancel, not terminal, whose last hint is older than a back-off that grows from
   * `backoffMs` with each hint of the same turn (to 60 s at most); marks them hinted. `agentIds` limits it to those agents.
   * Each agent gets its share of `limit`, and its least hinted tasks come first: a backlog hides no lost hint.
   */
  abstract takePending(options: {
    agentIds?: readonly string[];
    backoffMs: number;
    limit: number;
  }): Promise<readonly PendingWork[]>;

  /** Leases that are past their time by the database's clock. Reads only. */
  abstract expiredLeases(limit: number): Promise<readonly ExpiredLease[]>;

  /** Ends leases that are still expired with that epoch, by each row's recovery policy and attempts, in one statement. */
  abstract reap(
    leases: readonly { lease: ExpiredLease; failed: EndingStatus; canceled: EndingStatus }[],
  ): Promise<readonly Reaped[]>;

  /** Tasks whose cancel was requested `graceMs` ago or longer and that are not terminal. Reads only. */
  abstract overdueCancels(graceMs: number, limit: number): Promise<readonly OverdueCancel[]>;

  /** Commits CANCELED whatever the lease, where the cancel is still overdue; returns the events. */
  abstract finishCancels(
    cancels: readonly { cancel: OverdueCancel; canceled: EndingStatus }[],
    graceMs: number,
  ): Promise<readonly TaskEvent[]>;

  /**
   * Deletes tasks that ended `olderThanMs` ago or longer, with their events; paused ones stay. One with a push configuration that is
   * owed something, and has not been given up, stays for `owedMs` longer. Returns how many.
   */
  abstract purgeTasks(olderThanMs: number, limit: number, owedMs: number): Promise<number>;

  /** The same for rows that never became tasks, because their answer was a Message. */
  abstract purgeAnswers(olderThanMs: number, limit: number): Promise<number>;

  /** Deletes idempotency keys that have expired. Returns how many. */
  abstract purgeKeys(limit: number): Promise<number>;

  /**
   * Deletes values that agents remember of contexts that have no task any more, and that were written `olderThanMs` ago or longer.
   * Returns how many.
   */
  abstract purgeMemories(olderThanMs: number, limit: number): Promise<number>;

  /** Deletes attempts to deliver push notifications that were made `olderThanMs` ago or longer, of the oldest. Returns how many. */
  abstract purgePushAttempts(olderThanMs: number, limit: number): Promise<number>;

  /** The same of entries of the audit log. */
  abstract purgeAuditEntries(olderThanMs: number, limit: number): Promise<number>;
}
