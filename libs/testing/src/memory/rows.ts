import type { AgentDefinition, AppendResult, CallContext, EndingStatus, RecoveryPolicy, StoredTask, TaskEvent } from '#core';
import { statusFrame } from '#core';
import { isTerminal, type JsonValue, type Struct, type TaskState } from '#protocol';

/** What came with an accepted message; turn n is the n-th. */
export interface AcceptedTurn {
  readonly sequence: number;
  readonly message: string;
  readonly requestMetadata?: Struct;
  readonly acceptedOutputModes?: readonly string[];
  readonly extensions?: readonly string[];
}

/** The task's row, with its events beside it. */
export interface TaskRow {
  readonly taskId: string;
  readonly contextId: string;
  readonly tenant: string;
  readonly owner: string;
  readonly agentId: string;
  readonly origin: string;
  state: TaskState;
  status: string;
  statusTimestamp: number;
  metadata?: string;
  listed: boolean;
  readonly events: TaskEvent[];
  readonly turns: AcceptedTurn[];
  ended: number;
  /** Attempts of the current turn whose process disappeared. */
  lostAttempts: number;
  appendNo: number;
  lastAppend?: RecordedAppend;
  lease?: { readonly owner: string; expiresAt: number };
  epoch: number;
  policy: RecoveryPolicy;
  cancel?: { readonly requestedAt: number; readonly metadata?: JsonValue };
  /** When the current turn was last hinted, and how often by the reconciler. */
  hintedAt: number;
  hints: number;
  /** JSON; of a turn that has not ended. */
  checkpoint?: string;
  snapshot?: { readonly artifacts: string; readonly history: string; readonly sequence: number };
  /** It has a push configuration. */
  pushes?: true;
  /** Contract version that a worker must speak to claim it. */
  readonly contract: number;
}

/** What answers a repeated append. */
export interface RecordedAppend {
  readonly workerId: string;
  readonly epoch: number;
  readonly first: number;
  readonly finalState: TaskState;
}

export interface IdempotencyKey {
  readonly taskId: string;
  readonly turn: number;
  readonly requestHash: string;
  readonly expiresAt: number;
}

/** The name under which an idempotency key is kept; undefined when the call has none. */
export const keyOf = ({ tenant, principal, agentId, idempotencyKey }: CallContext): string | undefined =>
  idempotencyKey === undefined ? undefined : JSON.stringify([tenant, principal.id, agentId, idempotencyKey]);

/** Tenant, owner and agent of a name that `keyOf` made. */
export const ownerOfKey = (name: string): readonly [string, string, string] => JSON.parse(name);

export interface AgentRow {
  readonly definition: AgentDefinition;
  readonly updatedAt: number;
}

export const pendingOf = (row: TaskRow): number => row.turns.length - row.ended;

/** What may be claimed, but for the contract's version, and what is worth a hint; `leased`: by a worker that may claim it again. */
export const hasWork = (row: TaskRow, leased = false): boolean =>
  !isTerminal(row.state) && (!row.lease || leased) && pendingOf(row) > 0 && !row.cancel;

/** Whose data it is comes before which. */
export const isVisible = (row: TaskRow, { tenant, principal, agentId }: CallContext): boolean =>
  row.tenant === tenant && row.owner === principal.id && row.agentId === agentId;

/** Whoever held the lease is fenced off from here on. */
export function endLease(row: TaskRow): void {
  row.lease = undefined;
  row.epoch += 1;
}

/** The turn's next hint starts a back-off of its own. */
export function restartHints(row: TaskRow, now: number): void {
  row.hintedAt = now;
  row.hints = 0;
}

type Logged = Omit<TaskEvent, 'taskId' | 'sequence'>;

export function appendEvent(row: TaskRow, logged: Logged): TaskEvent {
  const event: TaskEvent = Object.freeze({ ...logged, taskId: row.taskId, sequence: row.events.length + 1 });
  row.events.push(event);
  row.state = event.state;
  return event;
}

/** An event as a writing statement answers it. */
export const answered = (row: TaskRow, event: TaskEvent): TaskEvent => (row.pushes ? { ...event, pushes: true } : event);

/** What a status event does to the row, and the event. */
export function appendStatus(
  row: TaskRow,
  status: EndingStatus,
  state: TaskState,
  logged: Pick<TaskEvent, 'kind' | 'turn' | 'endsTurn'>,
): TaskEvent {
  setStatus(row, state, status.statusRest, status.statusTimestamp);
  return appendEvent(row, { ...logged, state, payload: statusFrame(status, state) });
}

export function setStatus(row: TaskRow, state: TaskState, statusRest: string, timestamp: number): void {
  row.status = `{"state":"${state}"${statusRest}`;
  row.statusTimestamp = timestamp;
}

/** Ends the task and the lease in one go, in the name of the host. A holder's turn, or the one that waits, ends with it. */
export function endTask(row: TaskRow, status: EndingStatus, state: TaskState): TaskEvent {
  const turn = pendingOf(row) > 0 ? row.ended + 1 : 0;
  const event = appendStatus(row, status, state, { kind: 'status', turn, endsTurn: turn > 0 });
  if (turn > 0) row.ended = turn;
  // Its status is a Task event: the client is shown a task.
  row.listed = true;
  endLease(row);
  return answered(row, event);
}

/** The row as readers get it. */
export function storedTask(row: TaskRow): StoredTask {
  const { taskId, contextId, state, status, metadata, ended, listed, snapshot } = row;
  const snapshotSequence = snapshot?.sequence ?? 0;
  return {
    taskId,
    contextId,
    state,
    status,
    ...(metadata === undefined ? {} : { metadata }),
    sequence: row.events.length,
    accepted: row.turns.length,
    ended,
    listed,
    cancelRequested: row.cancel !== undefined,
    ...(row.lease ? { leaseOwner: row.lease.owner } : {}),
    leaseEpoch: row.epoch,
    ...(snapshot ? { artifacts: snapshot.artifacts, history: snapshot.history } : {}),
    snapshotSequence,
    events: row.events.slice(snapshotSequence),
  };
}

/** The answer to an append that is recorded, first time or again. */
export function appendAnswer(
  row: TaskRow,
  outcome: 'appended' | 'duplicate',
  { first, finalState }: RecordedAppend,
): AppendResult {
  return {
    outcome,
    first,
    finalState,
    cancelRequested: row.cancel !== undefined,
    ...(row.cancel?.metadata === undefined ? {} : { cancelMetadata: row.cancel.metadata as Struct }),
    pending: pendingOf(row),
    epoch: row.epoch,
    ...(row.pushes ? { pushes: true } : {}),
  };
}
