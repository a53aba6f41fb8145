import { PushDeliveryStore } from '#core';
import type { PushClaim, PushClaimRequest, PushFence, PushLog, PushSettled, PushSettlement, TaskEvent, WaitingPush } from '#core';
import { Batcher } from './batcher.js';
import { run, type Pools } from './pools.js';
import { CLAIM_DUE_PUSHES, CLAIM_HINTED_PUSHES, READ_PUSH_LOGS, RENEW_PUSHES, SETTLE_PUSHES } from './queries/push.js';
import { eventFromRow, type EventRow } from './rows.js';

/** The last ones are null of a configuration that was not claimed. */
interface ClaimRow {
  readonly task_id: string;
  readonly id: string;
  readonly receiver: string;
  readonly leased: boolean;
  readonly lease_epoch: number | null;
  readonly url: string;
  readonly scheme: string | null;
  readonly secrets: Buffer | null;
  readonly every_event: boolean;
  readonly protocol_version: '1.0' | '0.3';
  readonly cursor: number;
  readonly failures: number;
}

interface LogRow extends EventRow {
  readonly n: number;
  readonly found: boolean;
  readonly context_id: string;
  readonly metadata: string | null;
}

interface SettledRow {
  readonly task_id: string;
  readonly id: string;
  readonly dead: boolean | null;
  readonly more: boolean;
}

interface LogRequest {
  readonly n: number;
  readonly taskId: string;
  readonly after: number;
  readonly limit: number;
}

interface GrowingLog extends PushLog {
  readonly events: TaskEvent[];
}

/** More of those that wait are found when some of these have had their turn. */
const MOST_WAITING = 1000;
/** Each may bring a page of events. */
const LOGS = { limit: 20, inFlight: 2 };

/** The dispatchers' side of Postgres. */
export class PostgresPushDeliveryStore extends PushDeliveryStore {
  readonly #logs: Batcher<LogRequest, PushLog | undefined>;
  readonly #settlements: Batcher<PushSettlement, PushSettled>;
  #reads = 0;

  constructor(private readonly pools: Pools) {
    super();
    this.#logs = new Batcher((items) => this.#readAll(items), { ...LOGS, key: ({ n }) => String(n) });
    this.#settlements = new Batcher((items) => this.#settleAll(items), {
      ...{ key: ({ fence }) => `${fence.taskId} ${fence.configId}`, limit: 100, inFlight: 1 },
    });
  }

  override async claimDue({
    owner,
    leaseMs,
    limit,
    perReceiver,
    rooms,
    taskIds,
  }: PushClaimRequest): Promise<{ claims: readonly PushClaim[]; waiting: readonly WaitingPush[] }> {
    // The sweep reads all that is owed: it may take longer than what somebody waits for.
    const [pool, statement] = taskIds ? [this.pools.hot, CLAIM_HINTED_PUSHES] : [this.pools.lists, CLAIM_DUE_PUSHES];
    const rows = await run<ClaimRow>(pool, statement, [
      ...[owner, leaseMs, limit, perReceiver, [...rooms.keys()], [...rooms.values()], MOST_WAITING],
      taskIds ?? null,
    ]);
    const claims: PushClaim[] = [];
    const waiting: WaitingPush[] = [];
    for (const row of rows) {
      if (row.lease_epoch === null) waiting.push({ taskId: row.task_id, receiver: row.receiver, leased: row.leased });
      else claims.push(claimOf(owner, row.lease_epoch, row));
    }
    return { claims, waiting };
  }

  override read(taskId: string, after: number, limit: number): Promise<PushLog | undefined> {
    return this.#logs.submit({ taskId, after, limit, n: (this.#reads += 1) });
  }

  override async renew(fences: readonly PushFence[], leaseMs: number): Promise<readonly PushFence[]> {
    const column = <T>(pick: (fence: PushFence) => T): T[] => fences.map(pick);
    const rows = await run<{ task_id: string; id: string }>(this.pools.hot, RENEW_PUSHES, [
      column(({ taskId }) => taskId),
      column(({ configId }) => configId),
      column(({ owner }) => owner),
      column(({ epoch }) => epoch),
      leaseMs,
    ]);
    const renewed = new Set(rows.map(({ task_id, id }) => `${task_id} ${id}`));
    return fences.filter(({ taskId, configId }) => !renewed.has(`${taskId} ${configId}`));
  }

  override settle(settlement: PushSettlement): Promise<PushSettled> {
    return this.#settlements.submit(settlement);
  }

  async #readAll(items: readonly LogRequest[]): Promise<(PushLog | undefined)[]> {
    const rows = await run<LogRow>(this.pools.hot, READ_PUSH_LOGS, [
      items.map(({ taskId }) => taskId),
      items.map(({ after }) => after),
      items.map(({ limit }) => limit),
    ]);
    const logs = items.map((): GrowingLog | undefined => undefined);
    for (const row of rows) {
      if (!row.found) continue;
      const metadata = row.metadata === null ? {} : { metadata: row.metadata };
      const log: GrowingLog = (logs[row.n - 1] ??= { contextId: row.context_id, ...metadata, events: [] });
      if (row.sequence !== null) log.events.push(eventFromRow((items[row.n - 1] as LogRequest).taskId, row));
    }
    return logs;
  }

  async #settleAll(items: readonly PushSettlement[]): Promise<PushSettled[]> {
    const column = <T>(pick: (item: PushSettlement) => T): T[] => items.map(pick);
    const rows = await run<SettledRow>(this.pools.hot, SETTLE_PUSHES, [
      column(({ fence }) => fence.taskId),
      column(({ fence }) => fence.configId),
      column(({ fence }) => fence.owner),
      column(({ fence }) => fence.epoch),
      column(({ cursor }) => cursor),
      column(({ seen }) => seen),
      column(({ finished }) => finished),
      column(({ leaseMs }) => leaseMs ?? null),
      column(({ dueInMs }) => dueInMs),
      column(({ maxAgeMs }) => maxAgeMs),
      column(({ attempt }) => attempt?.sequence ?? null),
      column(({ attempt }) => attempt?.attempt ?? null),
      column(({ attempt }) => attempt?.outcome ?? null),
      column(({ attempt }) => attempt?.httpStatus ?? null),
      column(({ attempt }) => attempt?.error ?? null),
      column(({ attempt }) => attempt?.durationMs ?? null),
    ]);
    const settled = new Map(rows.map((row) => [`${row.task_id} ${row.id}`, row]));
    return items.map(({ fence }) => {
      const row = settled.get(`${fence.taskId} ${fence.configId}`);
      return row ? { outcome: row.dead ? 'dead' : 'settled', more: row.more } : { outcome: 'fenced', more: false };
    });
  }
}

const claimOf = (owner: string, epoch: number, row: ClaimRow): PushClaim => ({
  fence: { taskId: row.task_id, configId: row.id, owner, epoch },
  ...{ url: row.url, receiver: row.receiver, everyEvent: row.every_event, protocolVersion: row.protocol_version },
  ...{ cursor: row.cursor, failures: row.failures },
  ...(row.scheme === null ? {} : { scheme: row.scheme }),
  ...(row.secrets === null ? {} : { secrets: row.secrets }),
});
