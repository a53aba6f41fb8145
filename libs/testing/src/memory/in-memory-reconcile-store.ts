import type { EndingStatus, ExpiredLease, OverdueCancel, PendingWork, Reaped, TaskEvent } from '#core';
import { ReconcileStore } from '#core';
import { isTerminal } from '#protocol';
import type { InMemoryDatabase, Memory } from './in-memory-database.js';
import { forgetPushes } from './push-rows.js';
import { endLease, endTask, hasWork, restartHints, type TaskRow } from './rows.js';

const LONGEST_BACKOFF_MS = 60_000;

/** The reconciler's side of the store over an `InMemoryDatabase`, by the rules of the port. */
export class InMemoryReconcileStore extends ReconcileStore {
  constructor(private readonly database: InMemoryDatabase) {
    super();
  }

  takePending(options: { agentIds?: readonly string[]; backoffMs: number; limit: number }): Promise<readonly PendingWork[]> {
    return this.database.call('takePending', () => {
      const now = this.database.now();
      const due = ({ hintedAt, hints }: TaskRow): number =>
        hintedAt + Math.min(options.backoffMs * 2 ** hints, LONGEST_BACKOFF_MS);
      const rows = this.#rows((row) => hasWork(row) && (options.agentIds?.includes(row.agentId) ?? true) && due(row) <= now);
      rows.sort((a, b) => a.hints - b.hints || a.hintedAt - b.hintedAt);
      const places = new Map<string, number>();
      const ranked = rows.map((row) => {
        const place = (places.get(row.agentId) ?? 0) + 1;
        places.set(row.agentId, place);
        return { row, place };
      });
      return ranked
        .sort((a, b) => a.place - b.place)
        .slice(0, options.limit)
        .map(({ row }) => {
          row.hintedAt = now;
          row.hints += 1;
          return { taskId: row.taskId, agentId: row.agentId, turn: row.ended + 1, epoch: row.epoch };
        });
    });
  }

  expiredLeases(limit: number): Promise<readonly ExpiredLease[]> {
    return this.database.call('expiredLeases', () =>
      this.#rows((row) => this.#isExpired(row))
        .slice(0, limit)
        .map((row) => ({ ...identityOf(row), epoch: row.epoch, owner: row.lease?.owner as string })),
    );
  }

  reap(leases: readonly { lease: ExpiredLease; failed: EndingStatus; canceled: EndingStatus }[]): Promise<readonly Reaped[]> {
    return this.database.call('reap', () =>
      leases.flatMap(({ lease, failed, canceled }): Reaped[] => {
        const row = this.database.tasks.get(lease.taskId);
        if (!row || row.epoch !== lease.epoch || row.lease?.owner !== lease.owner || !this.#isExpired(row)) return [];
        const turn = row.ended + 1;
        const event = this.#endExpired(row, failed, canceled);
        return [{ taskId: row.taskId, agentId: row.agentId, turn, epoch: row.epoch, ...(event ? { event } : {}) }];
      }),
    );
  }

  overdueCancels(graceMs: number, limit: number): Promise<readonly OverdueCancel[]> {
    return this.database.call('overdueCancels', () =>
      this.#rows((row) => this.#isOverdue(row, graceMs))
        .slice(0, limit)
        .map(identityOf),
    );
  }

  finishCancels(
    cancels: readonly { cancel: OverdueCancel; canceled: EndingStatus }[],
    graceMs: number,
  ): Promise<readonly TaskEvent[]> {
    return this.database.call('finishCancels', () =>
      cancels.flatMap(({ cancel, canceled }) => {
        const row = this.database.tasks.get(cancel.taskId);
        return row && this.#isOverdue(row, graceMs) ? [endTask(row, canceled, 'TASK_STATE_CANCELED')] : [];
      }),
    );
  }

  purgeTasks(olderThanMs: number, limit: number, owedMs: number): Promise<number> {
    const isOwed = ({ taskId }: TaskRow): boolean =>
      [...this.database.pushConfigs.values()].some(
        (config) => config.taskId === taskId && !config.finished && config.deadAt === undefined,
      );
    return this.database.call('purgeTasks', () => {
      const before = this.database.now() - olderThanMs - owedMs;
      return this.#purge(olderThanMs, limit, true, (row) => row.statusTimestamp >= before && isOwed(row));
    });
  }

  purgeAnswers(olderThanMs: number, limit: number): Promise<number> {
    return this.database.call('purgeAnswers', () => this.#purge(olderThanMs, limit, false));
  }

  purgeKeys(limit: number): Promise<number> {
    return this.database.call('purgeKeys', () => {
      const { keys } = this.database;
      const expired = [...keys].filter(([, { expiresAt }]) => expiresAt <= this.database.now()).slice(0, limit);
      for (const [name] of expired) keys.delete(name);
      return expired.length;
    });
  }

  purgeMemories(olderThanMs: number, limit: number): Promise<number> {
    return this.database.call('purgeMemories', () => {
      const before = this.database.now() - olderThanMs;
      const tasks = this.#rows(() => true);
      const isOrphan = (memory: Memory): boolean =>
        !tasks.some(
          ({ tenant, owner, agentId, contextId }) =>
            tenant === memory.tenant && owner === memory.owner && agentId === memory.agentId && contextId === memory.contextId,
        );
      const old = this.database.memories.filter((memory) => memory.updatedAt < before && isOrphan(memory)).slice(0, limit);
      this.database.memories = this.database.memories.filter((memory) => !old.includes(memory));
      return old.length;
    });
  }

  purgePushAttempts(olderThanMs: number, limit: number): Promise<number> {
    return this.database.call('purgePushAttempts', () => {
      const before = this.database.now() - olderThanMs;
      const [oldest, others] = [this.database.pushDeliveries.slice(0, limit), this.database.pushDeliveries.slice(limit)];
      const kept = oldest.filter(({ startedAt }) => startedAt >= before);
      this.database.pushDeliveries = [...kept, ...others];
      return oldest.length - kept.length;
    });
  }

  purgeAuditEntries(olderThanMs: number, limit: number): Promise<number> {
    return this.database.call('purgeAuditEntries', () => {
      const before = this.database.now() - olderThanMs;
      const { auditEntries } = this.database;
      this.database.auditEntries = auditEntries.filter(({ at }, n) => n >= limit || at >= before);
      return auditEntries.length - this.database.auditEntries.length;
    });
  }

  #purge(olderThanMs: number, limit: number, listed: boolean, stays = (_: TaskRow): boolean => false): number {
    const before = this.database.now() - olderThanMs;
    const old = this.#rows(
      (row) => row.listed === listed && isTerminal(row.state) && row.statusTimestamp < before && !stays(row),
    );
    for (const { taskId } of old.slice(0, limit)) {
      this.database.tasks.delete(taskId);
      forgetPushes(this.database, taskId);
    }
    return Math.min(old.length, limit);
  }

  #endExpired(row: TaskRow, failed: EndingStatus, canceled: EndingStatus): TaskEvent | undefined {
    if (row.cancel) return endTask(row, canceled, 'TASK_STATE_CANCELED');
    row.lostAttempts += 1;
    if (row.policy.recovery === 'fail' || row.lostAttempts >= row.policy.maxAttempts)
      return endTask(row, failed, 'TASK_STATE_FAILED');
    endLease(row);
    restartHints(row, this.database.now());
    return undefined;
  }

  #rows(matches: (row: TaskRow) => boolean): TaskRow[] {
    return [...this.database.tasks.values()].filter(matches);
  }

  #isExpired = (row: TaskRow): boolean => row.lease !== undefined && row.lease.expiresAt < this.database.now();

  #isOverdue = (row: TaskRow, graceMs: number): boolean =>
    row.cancel !== undefined && !isTerminal(row.state) && row.cancel.requestedAt + graceMs <= this.database.now();
}

const identityOf = ({ taskId, contextId, agentId, origin }: TaskRow): OverdueCancel => ({ taskId, contextId, agentId, origin });
