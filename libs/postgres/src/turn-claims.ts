import type { Claim, ClaimRequest, TaskEvent } from '#core';
import type { Message } from '#protocol';
import type pg from 'pg';
import { Batcher } from './batcher.js';
import { run } from './pools.js';
import { CLAIM } from './queries/claim.js';
import { eventFromTuple, taskFromRow, type EventTuple, type TaskRow } from './rows.js';

interface ClaimRow extends TaskRow {
  readonly origin: string;
  readonly attempt: number;
  readonly append_no: number;
  readonly message_sequence: number;
  readonly checkpoint: string | null;
  readonly tenant: string;
  readonly owner: string;
  readonly agent_id: string;
  /** `ClaimedEvent`s in JSON. */
  readonly claimed_events: string | null;
}

/** What came with a message for the executor. */
type RequestParts = Pick<Claim, 'requestMetadata' | 'acceptedOutputModes' | 'extensions'>;

/** An event, and what came with its message. */
type ClaimedEvent = [...EventTuple, request: string | null];

/** The claiming part of the turn store: many leases in one statement. */
export class TurnClaims {
  readonly #batchers = new Map<string, Batcher<ClaimRequest, Claim | undefined>>();

  constructor(
    private readonly pool: pg.Pool,
    private readonly onError: (error: Error) => void,
  ) {}

  claim(request: ClaimRequest): Promise<Claim | undefined> {
    const shared = `${request.leaseMs} ${request.contract} ${request.workerId}`;
    let batcher = this.#batchers.get(shared);
    if (!batcher) {
      batcher = new Batcher((requests) => this.#claimAll(requests), { key: ({ taskId }) => taskId, limit: 100, inFlight: 1 });
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
      requests.map(({ again = false }) => again),
    ]);
    const claims = new Map(rows.map((row) => [row.id, this.#read(row, workerId)]));
    return requests.map(({ taskId }) => claims.get(taskId));
  }

  /** A row that cannot be read keeps no other of its statement from being worked on; its own lease runs out. */
  #read(row: ClaimRow, workerId: string): Claim | undefined {
    try {
      return claimOf(row, workerId);
    } catch (error) {
      this.onError(new Error(`The claimed task ${row.id} cannot be read`, { cause: error }));
      return undefined;
    }
  }
}

function claimOf(row: ClaimRow, workerId: string): Claim {
  const events: TaskEvent[] = [];
  let message: string | null = null;
  let request: string | null = null;
  for (const tuple of JSON.parse(row.claimed_events ?? '[]') as ClaimedEvent[]) {
    const [sequence, , , , , , itsMessage, itsRequest] = tuple;
    if (sequence === row.message_sequence) [message, request] = [itsMessage, itsRequest];
    // The events were read after the row, which may have grown: what came later is not as of this claim.
    if (sequence > row.snapshot_sequence && sequence <= row.sequence) events.push(eventFromTuple(row.id, tuple));
  }
  if (message === null) throw new Error(`task ${row.id} has no message ${row.message_sequence}`);
  return {
    fence: { taskId: row.id, workerId, epoch: row.lease_epoch },
    tenant: row.tenant,
    owner: row.owner,
    agentId: row.agent_id,
    origin: row.origin,
    turn: row.ended + 1,
    attempt: row.attempt + 1,
    appendNo: row.append_no,
    message: JSON.parse(message) as Message,
    ...(request === null ? {} : (JSON.parse(request) as RequestParts)),
    ...(row.checkpoint === null ? {} : { checkpoint: row.checkpoint }),
    task: taskFromRow(row, events),
  };
}
