import {
  TurnStore,
  type Append,
  type AppendResult,
  type Claim,
  type ClaimRequest,
  type Fence,
  type HeartbeatAnswer,
  type Released,
  type ReleaseRequest,
} from '#core';
import type { Struct } from '#protocol';
import { endingEvent, type EndedRow } from './ending-event.js';
import { clockOffset, type ClockReading } from './clock-offset.js';
import { run, type Pools, type Statement } from './pools.js';
import { HEARTBEAT } from './queries/claim.js';
import { RELEASE } from './queries/end-lease.js';
import { TurnAppends } from './turn-appends.js';
import { TurnClaims } from './turn-claims.js';

interface HeartbeatRow {
  readonly id: string;
  readonly epoch: number;
  readonly lost: boolean;
  readonly cancel_metadata: string | null;
}

/** One of some is likely to come without a wait on the way. */
const CLOCK_READINGS = 5;

const NOW: Statement = { name: 'now', text: 'select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms' };

/** The lease holder's side of Postgres. */
export class PostgresTurnStore extends TurnStore {
  readonly #claims: TurnClaims;
  readonly #appends: TurnAppends;

  constructor(private readonly pools: Pools) {
    super();
    this.#claims = new TurnClaims(pools.hot, pools.onError);
    this.#appends = new TurnAppends(pools.hot);
  }

  override claim(request: ClaimRequest): Promise<Claim | undefined> {
    return this.#claims.claim(request);
  }

  override append(append: Append): Promise<AppendResult> {
    return this.#appends.append(append);
  }

  override async heartbeat(workerId: string, fences: readonly Fence[], leaseMs: number): Promise<readonly HeartbeatAnswer[]> {
    if (fences.length === 0) return [];
    const sorted = [...fences].sort((a, b) => (a.taskId < b.taskId ? -1 : 1));
    const rows = await run<HeartbeatRow>(this.pools.hot, HEARTBEAT, [
      sorted.map(({ taskId }) => taskId),
      sorted.map(({ epoch }) => epoch),
      workerId,
      leaseMs,
    ]);
    return rows.map(({ id, epoch, lost, cancel_metadata }) => ({
      taskId: id,
      epoch,
      status: lost ? 'lost' : 'cancel',
      ...(cancel_metadata === null ? {} : { cancelMetadata: JSON.parse(cancel_metadata) as Struct }),
    }));
  }

  override async release({ fence, policy, countsAttempt, failed, canceled }: ReleaseRequest): Promise<Released> {
    const [row] = await run<EndedRow>(this.pools.hot, RELEASE, [
      fence.taskId,
      fence.epoch,
      ...[failed.head, failed.statusRest, failed.tail, failed.statusTimestamp],
      ...[canceled.statusRest, canceled.tail, canceled.statusTimestamp],
      policy.recovery === 'fail',
      fence.workerId,
      countsAttempt ? 1 : 0,
    ]);
    if (!row) return { outcome: 'fenced', turn: 0, epoch: fence.epoch };
    const event = endingEvent(row);
    return { outcome: event ? 'ended' : 'released', turn: row.turn, epoch: row.epoch, ...(event ? { event } : {}) };
  }

  override async clockOffset(): Promise<number> {
    // The first may open a connection, and would take that for the way to the database.
    await this.#readClock();
    const first = await this.#readClock();
    const more: ClockReading[] = [];
    while (more.length + 1 < CLOCK_READINGS) more.push(await this.#readClock());
    return clockOffset([first, ...more]);
  }

  async #readClock(): Promise<ClockReading> {
    const asked = Date.now();
    const [row] = await run<{ ms: number }>(this.pools.hot, NOW, []);
    return { asked, shown: (row as { ms: number }).ms, answered: Date.now() };
  }
}
