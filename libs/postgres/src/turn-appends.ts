import type { Append, AppendResult } from '#core';
import type { Struct } from '#protocol';
import type pg from 'pg';
import { Batcher } from './batcher.js';
import { run } from './pools.js';
import { APPEND, APPEND_CHECKPOINTS } from './queries/append.js';
import { kindNumber, stateFromRow, stateNumber } from './rows.js';

interface AppendRow {
  readonly id: string;
  readonly outcome: 'appended' | 'duplicate' | 'fenced';
  readonly first: number;
  readonly final_state: number;
  readonly canceling: boolean;
  readonly cancel_metadata: string | null;
  readonly pending: number;
  readonly epoch: number;
  readonly pushes: boolean;
}

const COMPLETED = stateNumber('TASK_STATE_COMPLETED');

/** The appending part of the turn store: many tasks' events in one statement, one append a task at a time. */
export class TurnAppends {
  readonly #batchers = new Map<number, Batcher<Append, AppendResult>>();

  constructor(private readonly pool: pg.Pool) {}

  append(append: Append): Promise<AppendResult> {
    return this.#batcher(append.leaseMs).submit(append);
  }

  /** The lease is a parameter of the whole statement; a worker has one. */
  #batcher(leaseMs: number): Batcher<Append, AppendResult> {
    let batcher = this.#batchers.get(leaseMs);
    if (!batcher) {
      batcher = new Batcher((appends) => this.#appendAll(appends, leaseMs), {
        ...{ key: ({ fence }) => fence.taskId, weight: charactersOf, limit: 100, inFlight: 1 },
      });
      this.#batchers.set(leaseMs, batcher);
    }
    return batcher;
  }

  async #appendAll(appends: readonly Append[], leaseMs: number): Promise<AppendResult[]> {
    const values = [...taskColumns(appends), leaseMs, ...eventColumns(appends)];
    const rows = appends.some(({ checkpoint }) => checkpoint !== undefined)
      ? await run<AppendRow>(this.pool, APPEND_CHECKPOINTS, [...values, appends.map(({ checkpoint }) => checkpoint ?? null)])
      : await run<AppendRow>(this.pool, APPEND, values);
    const results = new Map(rows.map((row) => [row.id, resultOf(row)]));
    return appends.map(({ fence }) => results.get(fence.taskId) ?? { outcome: 'fenced' });
  }
}

/** $1 … $16 of APPEND. */
function taskColumns(appends: readonly Append[]): unknown[][] {
  const column = <T>(pick: (append: Append) => T): T[] => appends.map(pick);
  const lasts = appends.map(lastStatus);
  return [
    column(({ fence }) => fence.taskId),
    column(({ fence }) => fence.workerId),
    column(({ fence }) => fence.epoch),
    column(({ number }) => number),
    column(({ turn }) => turn),
    column(({ attempt }) => attempt),
    column(({ endsTurn }) => endsTurn),
    column(({ list }) => list),
    column(({ events }) => events.length),
    lasts.map((last) => last?.state ?? null),
    lasts.map((last) => last?.rest ?? null),
    lasts.map((last) => last?.ms ?? null),
    column(({ snapshot }) => snapshot?.base ?? null),
    column(({ snapshot }) => snapshot?.artifacts ?? null),
    column(({ snapshot }) => snapshot?.history ?? null),
    column(({ metadata }) => metadata ?? null),
  ];
}

function charactersOf({ events, snapshot, checkpoint }: Append): number {
  let characters = checkpoint?.length ?? 0;
  characters += snapshot ? snapshot.artifacts.length + snapshot.history.length : 0;
  for (const event of events)
    characters += event.kind === 'status' ? 2 * event.statusRest.length + event.tail.length : event.payload.length;
  return characters;
}

/** What the row becomes: by the last status, or by the answer of an agent that made no task. */
function lastStatus({ events }: Append): { state: number; rest: string; ms: number } | undefined {
  const last = events.findLast(({ kind }) => kind !== 'artifact');
  if (!last || last.kind === 'artifact') return undefined;
  return {
    state: last.kind === 'answer' ? COMPLETED : stateNumber(last.state),
    rest: last.statusRest,
    ms: last.statusTimestamp,
  };
}

/** $18 … $24 of APPEND. */
function eventColumns(appends: readonly Append[]): unknown[][] {
  const columns: unknown[][] = [[], [], [], [], [], [], []];
  const push = (...values: unknown[]): void => values.forEach((value, i) => columns[i]?.push(value));
  for (const { fence, events } of appends) {
    let state: number | null = null;
    events.forEach((event, i) => {
      if (event.kind === 'status') state = stateNumber(event.state);
      if (event.kind === 'answer') state = COMPLETED;
      const pieces = event.kind === 'status' ? [event.head, event.statusRest, event.tail] : [event.payload, null, null];
      push(fence.taskId, i + 1, kindNumber(event.kind), state, ...pieces);
    });
  }
  return columns;
}

const resultOf = (row: AppendRow): AppendResult =>
  row.outcome === 'fenced'
    ? { outcome: 'fenced' }
    : {
        outcome: row.outcome,
        first: row.first,
        finalState: stateFromRow(row.final_state),
        cancelRequested: row.canceling,
        ...(row.cancel_metadata === null ? {} : { cancelMetadata: JSON.parse(row.cancel_metadata) as Struct }),
        pending: row.pending,
        epoch: row.epoch,
        ...(row.pushes ? { pushes: true } : {}),
      };
