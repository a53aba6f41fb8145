import {
  ReconcileStore,
  type EndingStatus,
  type ExpiredLease,
  type OverdueCancel,
  type PendingWork,
  type Reaped,
  type TaskEvent,
} from '#core';
import { endingEvent, type EndedRow } from './ending-event.js';
import { run, type Pools, type Statement } from './pools.js';
import { EXPIRED_LEASES, REAP } from './queries/end-lease.js';
import { FINISH_CANCELS, OVERDUE_CANCELS } from './queries/overdue-cancels.js';
import { TAKE_PENDING } from './queries/pending.js';
import {
  PURGE_ANSWERS,
  PURGE_AUDIT_ENTRIES,
  PURGE_KEYS,
  PURGE_MEMORIES,
  PURGE_PUSH_ATTEMPTS,
  PURGE_TASKS,
} from './queries/purge.js';

/** What the reconciler reads and repairs in Postgres. Its statements may take longer than an answer that a lease depends on. */
export class PostgresReconcileStore extends ReconcileStore {
  constructor(private readonly pools: Pools) {
    super();
  }

  override async takePending(options: {
    agentIds?: readonly string[];
    backoffMs: number;
    limit: number;
  }): Promise<readonly PendingWork[]> {
    const rows = await run<{ id: string; agent_id: string; turn: number; epoch: number }>(this.pools.lists, TAKE_PENDING, [
      options.agentIds ?? null,
      options.backoffMs,
      options.limit,
    ]);
    return rows.map(({ id, agent_id, turn, epoch }) => ({ taskId: id, agentId: agent_id, turn, epoch }));
  }

  override async expiredLeases(limit: number): Promise<readonly ExpiredLease[]> {
    const rows = await run<{
      id: string;
      context_id: string;
      origin: string;
      lease_epoch: number;
      lease_owner: string;
      agent_id: string;
    }>(this.pools.lists, EXPIRED_LEASES, [limit]);
    return rows.map((row) => ({
      taskId: row.id,
      contextId: row.context_id,
      agentId: row.agent_id,
      origin: row.origin,
      epoch: row.lease_epoch,
      owner: row.lease_owner,
    }));
  }

  override async reap(
    leases: readonly { lease: ExpiredLease; failed: EndingStatus; canceled: EndingStatus }[],
  ): Promise<readonly Reaped[]> {
    if (leases.length === 0) return [];
    const rows = await run<EndedRow>(this.pools.lists, REAP, [
      leases.map(({ lease }) => lease.taskId),
      leases.map(({ lease }) => lease.epoch),
      leases.map(({ failed }) => failed.head),
      leases.map(({ failed }) => failed.statusRest),
      leases.map(({ failed }) => failed.tail),
      leases.map(({ failed }) => failed.statusTimestamp),
      leases.map(({ canceled }) => canceled.statusRest),
      leases.map(({ canceled }) => canceled.tail),
      leases.map(({ canceled }) => canceled.statusTimestamp),
    ]);
    return rows.map((row) => {
      const event = endingEvent(row);
      return { taskId: row.id, agentId: row.agent_id, turn: row.turn, epoch: row.epoch, ...(event ? { event } : {}) };
    });
  }

  override async overdueCancels(graceMs: number, limit: number): Promise<readonly OverdueCancel[]> {
    const rows = await run<{ id: string; context_id: string; origin: string; agent_id: string }>(
      this.pools.lists,
      OVERDUE_CANCELS,
      [graceMs, limit],
    );
    return rows.map((row) => ({ taskId: row.id, contextId: row.context_id, agentId: row.agent_id, origin: row.origin }));
  }

  override async finishCancels(
    cancels: readonly { cancel: OverdueCancel; canceled: EndingStatus }[],
    graceMs: number,
  ): Promise<readonly TaskEvent[]> {
    if (cancels.length === 0) return [];
    const rows = await run<EndedRow>(this.pools.lists, FINISH_CANCELS, [
      cancels.map(({ cancel }) => cancel.taskId),
      graceMs,
      cancels.map(({ canceled }) => canceled.head),
      cancels.map(({ canceled }) => canceled.statusRest),
      cancels.map(({ canceled }) => canceled.tail),
      cancels.map(({ canceled }) => canceled.statusTimestamp),
    ]);
    return rows.flatMap((row) => endingEvent(row) ?? []);
  }

  override purgeTasks(olderThanMs: number, limit: number, owedMs: number): Promise<number> {
    return this.#purge(PURGE_TASKS, [olderThanMs, limit, owedMs]);
  }

  override purgeAnswers(olderThanMs: number, limit: number): Promise<number> {
    return this.#purge(PURGE_ANSWERS, [olderThanMs, limit]);
  }

  override purgeKeys(limit: number): Promise<number> {
    return this.#purge(PURGE_KEYS, [limit]);
  }

  override purgeMemories(olderThanMs: number, limit: number): Promise<number> {
    return this.#purge(PURGE_MEMORIES, [olderThanMs, limit]);
  }

  override purgePushAttempts(olderThanMs: number, limit: number): Promise<number> {
    return this.#purge(PURGE_PUSH_ATTEMPTS, [olderThanMs, limit]);
  }

  override purgeAuditEntries(olderThanMs: number, limit: number): Promise<number> {
    return this.#purge(PURGE_AUDIT_ENTRIES, [olderThanMs, limit]);
  }

  async #purge(statement: Statement, values: readonly unknown[]): Promise<number> {
    const [row] = await run<{ n: number }>(this.pools.lists, statement, values);
    return (row as { n: number }).n;
  }
}
