import { PushDeliveryStore } from '#core';
import type { PushClaim, PushClaimRequest, PushFence, PushLog, PushSettled, PushSettlement, WaitingPush } from '#core';
import type { InMemoryDatabase } from './in-memory-database.js';
import { type PushConfigRow, pushConfigKey } from './push-rows.js';

/** The dispatchers' side of the store over an `InMemoryDatabase`, by the rules of the port. */
export class InMemoryPushDeliveryStore extends PushDeliveryStore {
  constructor(private readonly database: InMemoryDatabase) {
    super();
  }

  claimDue(request: PushClaimRequest): Promise<{ claims: readonly PushClaim[]; waiting: readonly WaitingPush[] }> {
    return this.database.call('claimDue', () => {
      const claims: PushClaim[] = [];
      const waiting: WaitingPush[] = [];
      for (const { row, leased, place } of this.#places(request.taskIds)) {
        const { taskId, receiver } = row;
        const hasRoom = place <= (request.rooms.get(receiver) ?? request.perReceiver);
        if (!leased && hasRoom && claims.length < request.limit) claims.push(this.#claim(row, request));
        else if (!leased || request.taskIds) waiting.push({ taskId, receiver, leased });
      }
      return { claims, waiting };
    });
  }

  read(taskId: string, after: number, limit: number): Promise<PushLog | undefined> {
    return this.database.call('readPushLog', () => {
      const row = this.database.tasks.get(taskId);
      if (!row) return undefined;
      const { contextId, metadata, events } = row;
      return { contextId, ...(metadata === undefined ? {} : { metadata }), events: events.slice(after, after + limit) };
    });
  }

  renew(fences: readonly PushFence[], leaseMs: number): Promise<readonly PushFence[]> {
    return this.database.call('renewPushes', () =>
      fences.filter((fence) => {
        const row = this.#held(fence);
        if (row?.lease) row.lease.expiresAt = this.database.now() + leaseMs;
        return row === undefined;
      }),
    );
  }

  settle({ fence, attempt, leaseMs, ...settlement }: PushSettlement): Promise<PushSettled> {
    return this.database.call('settle', (): PushSettled => {
      const row = this.#held(fence);
      if (!row) return { outcome: 'fenced', more: false };
      const now = this.database.now();
      const { cursor, seen, finished, dueInMs, maxAgeMs } = settlement;
      Object.assign(row, { cursor, finished });
      if (attempt?.outcome === 'delivered') Object.assign(row, { failures: 0, failingSince: undefined });
      else if (attempt) {
        row.failures += 1;
        row.failingSince ??= now;
        if (row.failingSince < now - maxAgeMs) row.deadAt = now;
      }
      if (attempt) {
        const { taskId, configId } = fence;
        this.database.pushDeliveries.push({ ...attempt, taskId, configId, startedAt: now - attempt.durationMs });
      }
      if (leaseMs === undefined) {
        row.lease = undefined;
        row.epoch += 1;
        row.dueAt = now + dueInMs;
      } else {
        row.lease = { owner: fence.owner, expiresAt: now + leaseMs };
      }
      const more = this.#sequence(row) > seen;
      return { outcome: row.deadAt === undefined ? 'settled' : 'dead', more };
    });
  }

  /** What is due, with its place among what is due of its receiver; the first of each come first. */
  #places(taskIds: readonly string[] | undefined): { row: PushConfigRow; leased: boolean; place: number }[] {
    const places = new Map<string, number>();
    const placed = this.#due(taskIds).map((row) => {
      const leased = this.#isLeased(row);
      const place = (places.get(row.receiver) ?? 0) + 1;
      if (!leased) places.set(row.receiver, place);
      return { row, leased, place };
    });
    return placed.sort((a, b) => a.place - b.place);
  }

  #due(taskIds: readonly string[] | undefined): PushConfigRow[] {
    const now = this.database.now();
    return [...this.database.pushConfigs.values()]
      .filter((row) => !row.finished && row.deadAt === undefined && this.#sequence(row) > row.cursor)
      .filter((row) => (taskIds ? taskIds.includes(row.taskId) && (row.failures === 0 || row.dueAt <= now) : row.dueAt <= now))
      .sort((a, b) => a.dueAt - b.dueAt);
  }

  #claim(row: PushConfigRow, { owner, leaseMs }: PushClaimRequest): PushClaim {
    row.epoch += 1;
    row.lease = { owner, expiresAt: this.database.now() + leaseMs };
    const { taskId, id, epoch, url, receiver, scheme, secrets, everyEvent, protocolVersion, cursor, failures } = row;
    return {
      fence: { taskId, configId: id, owner, epoch },
      ...{ url, receiver, everyEvent, protocolVersion, cursor, failures },
      ...(scheme === undefined ? {} : { scheme }),
      ...(secrets === undefined ? {} : { secrets }),
    };
  }

  #held({ taskId, configId, owner, epoch }: PushFence): PushConfigRow | undefined {
    const row = this.database.pushConfigs.get(pushConfigKey(taskId, configId));
    return row?.lease?.owner === owner && row.epoch === epoch ? row : undefined;
  }

  /** Of a row that is no task for clients nothing is owed. */
  #sequence({ taskId }: PushConfigRow): number {
    const task = this.database.tasks.get(taskId);
    return task?.listed ? task.events.length : 0;
  }

  #isLeased = ({ lease }: PushConfigRow): boolean => lease !== undefined && lease.expiresAt >= this.database.now();
}
