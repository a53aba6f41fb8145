import { PushLedger, isTaskId } from '#core';
import type { LedgerEntry, PushConfigQuery, PushConfigState, PushOwner, PushTarget } from '#core';
import { run, type Pools, type Statement } from './pools.js';
import {
  DEAD_PUSH_CONFIGS,
  PUSH_CONFIGS,
  PUSH_CONFIGS_OF_TASK,
  PUSH_DELIVERIES,
  REDELIVER,
  REDELIVER_DEAD,
} from './queries/push-ledger.js';

interface ConfigRow {
  readonly task_id: string;
  readonly id: string;
  readonly tenant: string;
  readonly agent_id: string;
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

  override async configs({ tenant, agentId, taskId, dead = false, limit }: PushConfigQuery): Promise<readonly PushConfigState[]> {
    if (taskId !== undefined && !isTaskId(taskId)) return [];
    const values = [tenant ?? null, agentId ?? null, limit];
    const rows =
      taskId === undefined
        ? await run<ConfigRow>(this.pools.lists, dead ? DEAD_PUSH_CONFIGS : PUSH_CONFIGS, values)
        : await run<ConfigRow>(this.pools.lists, PUSH_CONFIGS_OF_TASK, [...values, taskId, dead]);
    return rows.map(stateOf);
  }

  override async deliveries({ tenant, agentId, taskId, configId }: PushTarget, limit: number): Promise<readonly LedgerEntry[]> {
    if (!isTaskId(taskId)) return [];
    const values = [tenant ?? null, agentId ?? null, taskId, configId ?? null, limit];
    return (await run<DeliveryRow>(this.pools.lists, PUSH_DELIVERIES, values)).map(entryOf);
  }

  override async redeliver({ tenant, agentId, taskId, configId }: PushTarget, from?: number): Promise<number> {
    if (!isTaskId(taskId)) return 0;
    return this.#count(REDELIVER, [tenant ?? null, agentId ?? null, taskId, configId ?? null, from ?? null]);
  }

  override redeliverDead(dead: PushOwner & { readonly receiver?: string }, limit: number): Promise<number> {
    const { tenant, agentId, receiver } = dead;
    return this.#count(REDELIVER_DEAD, [tenant ?? null, agentId ?? null, receiver ?? null, limit]);
  }

  async #count(statement: Statement, values: readonly unknown[]): Promise<number> {
    const [row] = await run<{ n: number }>(this.pools.lists, statement, values);
    return (row as { n: number }).n;
  }
}

const stateOf = (row: ConfigRow): PushConfigState => ({
  ...{ taskId: row.task_id, configId: row.id, tenant: row.tenant, agentId: row.agent_id, receiver: row.receiver },
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
