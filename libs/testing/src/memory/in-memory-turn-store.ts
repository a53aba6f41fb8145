import type {
  Append,
  AppendResult,
  Claim,
  ClaimRequest,
  Fence,
  HeartbeatAnswer,
  NewEvent,
  Released,
  ReleaseRequest,
} from '#core';
import { TurnStore } from '#core';
import { isTerminal, type Message, type Struct, type TaskState } from '#protocol';
import type { InMemoryDatabase } from './in-memory-database.js';
import {
  type AcceptedTurn,
  appendAnswer,
  appendEvent,
  appendStatus,
  endLease,
  endTask,
  hasWork,
  pendingOf,
  restartHints,
  setStatus,
  storedTask,
  type TaskRow,
} from './rows.js';

/** The lease holder's side of the store over an `InMemoryDatabase`, by the rules of the port. */
export class InMemoryTurnStore extends TurnStore {
  constructor(private readonly database: InMemoryDatabase) {
    super();
  }

  claim(request: ClaimRequest): Promise<Claim | undefined> {
    return this.database.call('claim', () => {
      const row = this.database.tasks.get(request.taskId);
      const ours = request.again === true && row?.lease?.owner === request.workerId;
      if (!row || !hasWork(row, ours) || row.contract > request.contract) return undefined;
      row.epoch += 1;
      row.lease = { owner: request.workerId, expiresAt: this.database.now() + request.leaseMs };
      row.policy = request.policy;
      return claimOf(row, request);
    });
  }

  append(append: Append): Promise<AppendResult> {
    return this.database.call('append', () => {
      const row = this.database.tasks.get(append.fence.taskId);
      if (!row) return { outcome: 'fenced' };
      const { lastAppend } = row;
      const repeated =
        append.number === row.appendNo &&
        lastAppend?.workerId === append.fence.workerId &&
        lastAppend.epoch === append.fence.epoch;
      if (repeated) return appendAnswer(row, 'duplicate', lastAppend);
      const mayWrite = isHolder(row, append.fence) && !isTerminal(row.state) && append.number === row.appendNo + 1;
      return mayWrite ? this.#append(row, append) : { outcome: 'fenced' };
    });
  }

  heartbeat(workerId: string, fences: readonly Fence[], leaseMs: number): Promise<readonly HeartbeatAnswer[]> {
    return this.database.call('heartbeat', () =>
      fences.flatMap(({ taskId, epoch }): HeartbeatAnswer[] => {
        const row = this.database.tasks.get(taskId);
        if (!row?.lease || !isHolder(row, { taskId, workerId, epoch })) return [{ taskId, epoch, status: 'lost' }];
        row.lease.expiresAt = this.database.now() + leaseMs;
        if (!row.cancel) return [];
        const { metadata } = row.cancel;
        return [{ taskId, epoch, status: 'cancel', ...(metadata === undefined ? {} : { cancelMetadata: metadata as Struct }) }];
      }),
    );
  }

  release({ fence, policy, countsAttempt, failed, canceled }: ReleaseRequest): Promise<Released> {
    return this.database.call('release', (): Released => {
      const row = this.database.tasks.get(fence.taskId);
      if (!row || !isHolder(row, fence)) return { outcome: 'fenced', turn: (row?.ended ?? 0) + 1, epoch: row?.epoch ?? 0 };
      const turn = row.ended + 1;
      if (countsAttempt) row.lostAttempts += 1;
      const fails = policy.recovery === 'fail' || (countsAttempt && row.lostAttempts >= row.policy.maxAttempts);
      if (row.cancel || fails) {
        const event = row.cancel ? endTask(row, canceled, 'TASK_STATE_CANCELED') : endTask(row, failed, 'TASK_STATE_FAILED');
        return { outcome: 'ended', turn, epoch: row.epoch, event };
      }
      endLease(row);
      restartHints(row, this.database.now());
      return { outcome: 'released', turn, epoch: row.epoch };
    });
  }

  clockOffset(): Promise<number> {
    return this.database.call('clockOffset', () => this.database.now() - Date.now());
  }

  #append(row: TaskRow, append: Append): AppendResult {
    const { fence, events, snapshot, turn, endsTurn, number } = append;
    const first = row.events.length + 1;
    if (append.list) row.listed = true;
    if (append.metadata !== undefined) row.metadata = append.metadata;
    if (append.checkpoint != null) row.checkpoint = append.checkpoint;
    if (endsTurn) row.checkpoint = undefined;
    events.forEach((event, index) => record(row, event, turn, endsTurn && index === events.length - 1));
    if (snapshot?.base === first - 1 && row.events.length > (row.snapshot?.sequence ?? 0)) {
      row.snapshot = { artifacts: snapshot.artifacts, history: snapshot.history, sequence: row.events.length };
    }
    const now = this.database.now();
    row.appendNo = number;
    row.lastAppend = { workerId: fence.workerId, epoch: fence.epoch, first, finalState: row.state };
    if (endsTurn) {
      row.ended += 1;
      row.lostAttempts = 0;
      endLease(row);
      restartHints(row, now);
    } else if (row.lease) {
      row.lease.expiresAt = now + append.leaseMs;
    }
    return appendAnswer(row, 'appended', row.lastAppend);
  }
}

const isHolder = (row: TaskRow, { workerId, epoch }: Fence): boolean => row.lease?.owner === workerId && row.epoch === epoch;

function claimOf(row: TaskRow, { taskId, workerId }: ClaimRequest): Claim {
  const { message, requestMetadata, acceptedOutputModes, extensions } = row.turns[row.ended] as AcceptedTurn;
  return {
    fence: { taskId, workerId, epoch: row.epoch },
    tenant: row.tenant,
    owner: row.owner,
    agentId: row.agentId,
    origin: row.origin,
    turn: row.ended + 1,
    attempt: row.lostAttempts + 1,
    appendNo: row.appendNo,
    message: JSON.parse(message) as Message,
    ...(requestMetadata === undefined ? {} : { requestMetadata: structuredClone(requestMetadata) }),
    ...(extensions === undefined ? {} : { extensions: [...extensions] }),
    ...(acceptedOutputModes === undefined ? {} : { acceptedOutputModes: [...acceptedOutputModes] }),
    ...(row.checkpoint === undefined ? {} : { checkpoint: row.checkpoint }),
    task: storedTask(row),
  };
}

function record(row: TaskRow, event: NewEvent, turn: number, endsTurn: boolean): void {
  switch (event.kind) {
    case 'status':
      appendStatus(row, event, endsTurn ? endingState(row, event.state) : event.state, { kind: 'status', turn, endsTurn });
      return;
    case 'artifact':
      appendEvent(row, { kind: 'artifact', state: row.state, turn, endsTurn, payload: event.payload });
      return;
    case 'answer':
      setStatus(row, 'TASK_STATE_COMPLETED', event.statusRest, event.statusTimestamp);
      appendEvent(row, { kind: 'answer', state: 'TASK_STATE_COMPLETED', turn, endsTurn, payload: event.payload });
  }
}

/** Rules 14 and 24: what a turn's last state becomes under the row's lock. */
function endingState(row: TaskRow, asked: TaskState): TaskState {
  const state = asked === 'TASK_STATE_COMPLETED' && pendingOf(row) > 1 ? 'TASK_STATE_WORKING' : asked;
  return row.cancel && !isTerminal(state) ? 'TASK_STATE_CANCELED' : state;
}
