import { PushLedger, isTaskId } from '#core';
import type { LedgerEntry, PushConfigQuery, PushConfigState, PushTarget } from '#core';
import { run, type Pools } from './pools.js';
import { PUSH_CONFIGS, PUSH_DELIVERIES, REDELIVER } from './queries/push-ledger.js';

interface ConfigRow {
  readonly task_id: string;
  readonly id: string;
  readonly tenant: string;
  readonly receiver: string;
  readonly cursor: number;
  readonly sequence: number;
  readonly finished: boolean;
  readonly failures: number;
  readonly failing_since: number | null;
  readonly dead_at: number | null;
}

interface DeliveryRow {
  readonly task_id: string;
  readonly config_id: string;
  readonly sequence: number;
  readonly attempt: number;
  readonly outcome: LedgerEntry['outcome'];
  readonly http_status: number | null;
  readonly error: string | null;
  readonly started_at: number;
  readonly duration_ms: number;
}

/** The operators' side of deliveries in Postgres. */
export class PostgresPushLedger extends PushLedger {
  constructor(private readonly pools: Pools) {
    super();
  }

  override async configs({ tenant, taskId, dead = false, limit }: PushConfigQuery): Promise<readonly PushConfigState[]> {
    if (taskId !== undefined && !isTaskId(taskId)) return [];
    const values = [tenant ?? null, taskId ?? null, dead, limit];
    return (await run<ConfigRow>(this.pools.lists, PUSH_CONFIGS, values)).map(stateOf);
  }

  override async deliveries({ tenant, taskId, configId }: PushTarget, limit: number): Promise<readonly LedgerEntry[]> {
    if (!isTaskId(taskId)) return [];
    const values = [tenant ?? null, taskId, configId ?? null, limit];
    return (await run<DeliveryRow>(this.pools.lists, PUSH_DELIVERIES, values)).map(entryOf);
  }

  override async redeliver({ tenant, taskId, configId }: PushTarget, from?: number): Promise<number> {
    if (!isTaskId(taskId)) return 0;
    const values = [tenant ?? null, taskId, configId ?? null, from ?? null];
    const [row] = await run<{ n: number }>(this.pools.lists, REDELIVER, values);
    return (row as { n: number }).n;
  }
}

const stateOf = (row: ConfigRow): PushConfigState => ({
  ...{ taskId: row.task_id, configId: row.id, tenant: row.tenant, receiver: row.receiver },
  ...{ cursor: row.cursor, sequence: row.sequence, failures: row.failures },
  state: row.dead_at !== null ? 'dead' : row.finished ? 'finished' : 'open',
  ...(row.failing_since === null ? {} : { failingSince: row.failing_since }),
  ...(row.dead_at === null ? {} : { deadAt: row.dead_at }),
});

const entryOf = (row: DeliveryRow): LedgerEntry => ({
  ...{ taskId: row.task_id, configId: row.config_id, sequence: row.sequence, attempt: row.attempt, outcome: row.outcome },
  ...(row.http_status === null ? {} : { httpStatus: row.http_status }),
  ...(row.error === null ? {} : { error: row.error }),
  ...{ startedAt: row.started_at, durationMs: row.duration_ms },
});
