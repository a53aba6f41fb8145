import type { TaskEvent } from '../task/task-event.js';
import type { EndingStatus } from './turn-store.js';

/** A task that has work and nobody working on it. */
export interface PendingWork {
  readonly taskId: string;
  readonly agentId: string;
  readonly turn: number;
  readonly epoch: number;
  /** 1 the first time that this work is offered. */
  readonly repeat: number;
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

  /** Deletes terminal tasks whose last status is older than `olderThanMs`, and expired idempotency keys. Returns how many tasks. */
  abstract purge(olderThanMs: number | undefined, limit: number): Promise<number>;
}
