import type { StoredTask, TaskContent, TaskEvent, TaskEventKind } from '#core';
import { TASK_STATE_NUMBERS, taskStateOf, type TaskState } from '#protocol';

const KINDS: readonly TaskEventKind[] = ['accepted', 'status', 'artifact', 'answer'];

export const kindNumber = (kind: TaskEventKind): number => KINDS.indexOf(kind) + 1;
export const stateNumber = (state: TaskState): number => TASK_STATE_NUMBERS[state];

/** The state that a row holds; a number that no proto knows is a broken database. */
export function stateFromRow(value: number): TaskState {
  const state = taskStateOf(value);
  if (!state) throw new Error(`The database holds the unknown task state ${value}`);
  return state;
}

export interface EventRow {
  readonly sequence: number;
  readonly kind: number;
  readonly state: number;
  readonly turn: number;
  readonly ends_turn: boolean;
  readonly payload: string;
  readonly message: string | null;
}

export function eventFromRow(taskId: string, row: EventRow): TaskEvent {
  return {
    taskId,
    sequence: row.sequence,
    kind: KINDS[row.kind - 1] as TaskEventKind,
    state: stateFromRow(row.state),
    turn: row.turn,
    endsTurn: row.ends_turn,
    payload: row.payload,
    ...(row.message === null ? {} : { message: row.message }),
  };
}

/** An event as `EVENT_JSON` writes it. */
export type EventTuple = [number, number, number, number, boolean, string, string | null];

export function eventFromTuple(
  taskId: string,
  [sequence, kind, state, turn, ends_turn, payload, message]: readonly [...EventTuple, ...unknown[]],
): TaskEvent {
  return eventFromRow(taskId, { sequence, kind, state, turn, ends_turn, payload, message });
}

export const eventFromJson = (taskId: string, json: string): TaskEvent => eventFromTuple(taskId, JSON.parse(json) as EventTuple);

/** What a client is shown of a task; the last three are there only when they were asked for. */
export interface ContentRow {
  readonly id: string;
  readonly context_id: string;
  readonly status: string;
  readonly metadata: string | null;
  readonly artifacts?: string | null;
  readonly history?: string | null;
  /** As `LATER_EVENTS` writes them. */
  readonly events?: string | null;
}

export interface TaskRow extends ContentRow {
  readonly state: number;
  readonly sequence: number;
  readonly accepted: number;
  readonly ended: number;
  readonly listed: boolean;
  readonly cancel_requested: boolean;
  readonly lease_owner: string | null;
  readonly lease_epoch: number;
  readonly snapshot_sequence: number;
  readonly status_timestamp: number;
}

export function contentFromRow(row: ContentRow, events?: readonly TaskEvent[]): TaskContent {
  return {
    taskId: row.id,
    contextId: row.context_id,
    status: row.status,
    ...(row.metadata === null ? {} : { metadata: row.metadata }),
    ...(row.artifacts == null ? {} : { artifacts: row.artifacts }),
    ...(row.history == null ? {} : { history: row.history }),
    events: events ?? (row.events ? (JSON.parse(row.events) as EventTuple[]).map((tuple) => eventFromTuple(row.id, tuple)) : []),
  };
}

export function taskFromRow(row: TaskRow, events?: readonly TaskEvent[]): StoredTask {
  return {
    ...contentFromRow(row, events),
    state: stateFromRow(row.state),
    sequence: row.sequence,
    accepted: row.accepted,
    ended: row.ended,
    listed: row.listed,
    cancelRequested: row.cancel_requested,
    ...(row.lease_owner === null ? {} : { leaseOwner: row.lease_owner }),
    leaseEpoch: row.lease_epoch,
    snapshotSequence: row.snapshot_sequence,
  };
}
