import type { Claim, ClaimRequest, TaskEvent } from '#core';
import type { Message, Struct } from '#protocol';
import type pg from 'pg';
import { Batcher } from './batcher.js';
import { run } from './pools.js';
import { CLAIM, CLAIMED_EVENTS } from './queries/claim.js';
import { eventFromRow, taskFromRow, type EventRow, type TaskRow } from './rows.js';

interface ClaimRow extends TaskRow {
  readonly origin: string;
  readonly attempt: number;
  readonly append_no: number;
  readonly message_sequence: number;
  readonly tenant: string;
  readonly owner: string;
  readonly agent_id: string;
}

interface ClaimedEventRow extends EventRow {
  readonly task_id: string;
  readonly request: string | null;
}

/** The claiming part of the turn store: many leases in one statement. */
export class TurnClaims {
  readonly #batchers = new Map<string, Batcher<ClaimRequest, Claim | undefined>>();

  constructor(private readonly pool: pg.Pool) {}

  claim(request: ClaimRequest): Promise<Claim | undefined> {
    const shared = `${request.leaseMs} ${request.contract} ${request.workerId}`;
    let batcher = this.#batchers.get(shared);
    if (!batcher) {
      batcher = new Batcher((requests) => this.#claimAll(requests), { key: ({ taskId }) => taskId, limit: 100, inFlight: 2 });
      this.#batchers.set(shared, batcher);
    }
    return batcher.submit(request);
  }

  async #claimAll(requests: readonly ClaimRequest[]): Promise<(Claim | undefined)[]> {
    const { workerId, leaseMs, contract } = requests[0] as ClaimRequest;
    const rows = await run<ClaimRow>(this.pool, CLAIM, [
      requests.map(({ taskId }) => taskId),
      requests.map(({ policy }) => (policy.recovery === 'retry' ? 1 : 0)),
      requests.map(({ policy }) => policy.maxAttempts),
      workerId,
      leaseMs,
      contract,
    ]);
    if (rows.length === 0) return requests.map(() => undefined);
    const events = await this.#eventsOf(rows);
    const claims = new Map(rows.map((row) => [row.id, claimOf(row, events.get(row.id) ?? [], workerId)]));
    return requests.map(({ taskId }) => claims.get(taskId));
  }

  async #eventsOf(claimed: readonly ClaimRow[]): Promise<Map<string, ClaimedEventRow[]>> {
    const rows = await run<ClaimedEventRow>(this.pool, CLAIMED_EVENTS, [
      claimed.map(({ id }) => id),
      claimed.map((row) => row.snapshot_sequence),
      claimed.map((row) => row.message_sequence),
    ]);
    const byTask = new Map<string, ClaimedEventRow[]>();
    for (const row of rows) {
      const events = byTask.get(row.task_id);
      if (events) events.push(row);
      else byTask.set(row.task_id, [row]);
    }
    return byTask;
  }
}

function claimOf(row: ClaimRow, rows: readonly ClaimedEventRow[], workerId: string): Claim {
  const inbound = rows.find(({ sequence }) => sequence === row.message_sequence);
  if (!inbound?.message) throw new Error(`task ${row.id} has no message ${row.message_sequence}`);
  const events = rows
    .filter(({ sequence }) => sequence > row.snapshot_sequence && sequence <= row.sequence)
    .map((event): TaskEvent => eventFromRow(row.id, event));
  const request =
    inbound.request === null ? {} : (JSON.parse(inbound.request) as { requestMetadata?: Struct; acceptedOutputModes?: string[] });
  return {
    fence: { taskId: row.id, workerId, epoch: row.lease_epoch },
    tenant: row.tenant,
    owner: row.owner,
    agentId: row.agent_id,
    origin: row.origin,
    turn: row.ended + 1,
    attempt: row.attempt + 1,
    appendNo: row.append_no,
    message: JSON.parse(inbound.message) as Message,
    ...request,
    task: taskFromRow(row, events),
  };
}
