import type { Message, Struct, TaskState } from '#protocol';
import { isInterrupted, isTerminal } from '#protocol';
import { StoreUnavailableError } from '../ports/task-store.js';
import type {
  Append,
  AppendResult,
  Claim,
  ClaimRequest,
  Fence,
  HeartbeatAnswer,
  Released,
  ReleaseRequest,
} from '../ports/turn-store.js';
import { type EndingStatus, TurnStore } from '../ports/turn-store.js';
import type { TaskEvent } from '../task/task-event.js';
import { statusEvent, statusFrame } from './status-event.js';

interface Row {
  state: TaskState;
  listed: boolean;
  messages: Message[];
  ended: number;
  attempt: number;
  owner?: string;
  epoch: number;
  appendNo: number;
  last?: AppendResult;
  cancel?: Struct;
  metadata?: string;
  snapshot?: { artifacts: string; history: string; sequence: number };
  events: TaskEvent[];
}

/** The lease holder's side of a store, in memory, by the rules of the port; `gate` holds, fails or loses the answer of a call. */
export class FakeTurnStore extends TurnStore {
  readonly rows = new Map<string, Row>();
  readonly claims: ('claim' | 'again')[] = [];
  readonly appends: Append[] = [];
  readonly heartbeats: (readonly Fence[])[] = [];
  /** Runs before (`request`) and after (`answer`) each call; throwing makes the store unavailable to the caller. */
  gate: (call: 'claim' | 'append' | 'heartbeat' | 'release', phase: 'request' | 'answer') => Promise<void> | void = () => {};

  accept(taskId: string, text: string, options: { listed?: boolean } = {}): void {
    const row = this.rows.get(taskId) ?? {
      state: 'TASK_STATE_SUBMITTED' as TaskState,
      listed: options.listed ?? true,
      messages: [],
      ended: 0,
      attempt: 1,
      epoch: 0,
      appendNo: 0,
      events: [],
    };
    this.rows.set(taskId, row);
    row.messages.push({ messageId: `m${row.messages.length + 1}`, role: 'ROLE_USER', parts: [{ text }], taskId, contextId: 'c' });
    if (isInterrupted(row.state)) row.state = 'TASK_STATE_SUBMITTED';
    this.#log(taskId, row, {
      kind: 'accepted',
      state: row.state,
      turn: row.messages.length,
      message: JSON.stringify(row.messages.at(-1)),
    });
  }

  row(taskId: string): Row {
    const row = this.rows.get(taskId);
    if (!row) throw new Error(`no task ${taskId}`);
    return row;
  }

  /** What a reaper or another worker would do. */
  takeLeaseAway(taskId: string): void {
    const row = this.row(taskId);
    row.owner = undefined;
    row.epoch += 1;
  }

  async claim({ taskId, workerId, again }: ClaimRequest): Promise<Claim | undefined> {
    await this.gate('claim', 'request');
    const row = this.row(taskId);
    this.claims.push(again ? 'again' : 'claim');
    const taken = row.owner !== undefined && !(again && row.owner === workerId);
    if (isTerminal(row.state) || taken || row.cancel || row.messages.length <= row.ended) return undefined;
    row.owner = workerId;
    row.epoch += 1;
    const { epoch, appendNo, attempt, ended, state, listed, snapshot } = row;
    const head = snapshot?.sequence ?? 0;
    const status = `{"state":"${state}","timestamp":"2026-01-01T00:00:00.000Z"}`;
    const claim: Claim = {
      fence: { taskId, workerId, epoch },
      tenant: '',
      owner: 'anonymous',
      agentId: 'a',
      origin: 'api-1',
      turn: ended + 1,
      attempt,
      appendNo,
      message: row.messages[ended] as Message,
      task: {
        ...{ taskId, contextId: 'c', state, status, sequence: row.events.length, accepted: row.messages.length, ended, listed },
        ...{ cancelRequested: false, leaseOwner: workerId, leaseEpoch: epoch },
        ...{ artifacts: snapshot?.artifacts, history: snapshot?.history, snapshotSequence: head },
        events: row.events.slice(head),
        ...(row.metadata === undefined ? {} : { metadata: row.metadata }),
      },
    };
    await this.gate('claim', 'answer');
    return claim;
  }

  async append(append: Append): Promise<AppendResult> {
    this.appends.push(append);
    await this.gate('append', 'request');
    const row = this.row(append.fence.taskId);
    const result = this.#judge(row, append);
    await this.gate('append', 'answer');
    return result;
  }

  async heartbeat(workerId: string, fences: readonly Fence[]): Promise<readonly HeartbeatAnswer[]> {
    this.heartbeats.push(fences);
    await this.gate('heartbeat', 'request');
    const answers = fences.flatMap(({ taskId, epoch }): HeartbeatAnswer[] => {
      const row = this.rows.get(taskId);
      if (row?.owner !== workerId || row.epoch !== epoch) return [{ taskId, epoch, status: 'lost' }];
      return row.cancel ? [{ taskId, epoch, status: 'cancel', cancelMetadata: row.cancel }] : [];
    });
    await this.gate('heartbeat', 'answer');
    return answers;
  }

  async release({ fence, policy, countsAttempt, failed, canceled }: ReleaseRequest): Promise<Released> {
    await this.gate('release', 'request');
    const released = this.#release({ fence, policy, countsAttempt, failed, canceled });
    await this.gate('release', 'answer');
    return released;
  }

  async clockOffset(): Promise<number> {
    return 0;
  }

  #release({ fence, policy, countsAttempt, failed, canceled }: ReleaseRequest): Released {
    const row = this.row(fence.taskId);
    const turn = row.ended + 1;
    if (row.owner !== fence.workerId || row.epoch !== fence.epoch) return { outcome: 'fenced', turn, epoch: row.epoch };
    this.takeLeaseAway(fence.taskId);
    if (countsAttempt) row.attempt += 1;
    const fails = policy.recovery === 'fail' || row.attempt > policy.maxAttempts;
    const end: readonly [EndingStatus, TaskState] | undefined = row.cancel
      ? [canceled, 'TASK_STATE_CANCELED']
      : fails
        ? [failed, 'TASK_STATE_FAILED']
        : undefined;
    if (!end) return { outcome: 'released', turn, epoch: row.epoch };
    row.state = end[1];
    row.ended += 1;
    const event = this.#log(fence.taskId, row, {
      kind: 'status',
      state: end[1],
      turn,
      endsTurn: true,
      payload: statusFrame(...end),
    });
    return { outcome: 'ended', turn, epoch: row.epoch, event };
  }

  #judge(row: Row, append: Append): AppendResult {
    const { fence, events, number, snapshot, turn } = append;
    if (number === row.appendNo && row.last) return { ...row.last, outcome: 'duplicate' } as AppendResult;
    const ours = row.owner === fence.workerId && row.epoch === fence.epoch;
    if (!ours || isTerminal(row.state) || number !== row.appendNo + 1) return { outcome: 'fenced' };
    const first = row.events.length + 1;
    if (snapshot?.base === first - 1) row.snapshot = { ...snapshot, sequence: first - 1 + events.length };
    if (append.list) row.listed = true;
    if (append.metadata !== undefined) row.metadata = append.metadata;
    events.forEach((event, index) => {
      const ends = append.endsTurn && index === events.length - 1;
      if (event.kind === 'status') row.state = ends ? this.#finalState(row, event.state) : event.state;
      if (event.kind === 'answer') row.state = 'TASK_STATE_COMPLETED';
      const payload = event.kind === 'status' ? statusFrame(event, row.state) : event.payload;
      this.#log(fence.taskId, row, {
        ...{ kind: event.kind, state: row.state, turn, endsTurn: ends, payload },
        ...(ends && row.metadata === undefined ? { withoutMetadata: true } : {}),
      });
    });
    row.appendNo = number;
    if (append.endsTurn) {
      row.ended += 1;
      row.attempt = 1;
      this.takeLeaseAway(fence.taskId);
    }
    row.last = {
      outcome: 'appended',
      first,
      finalState: row.state,
      cancelRequested: row.cancel !== undefined,
      cancelMetadata: row.cancel,
      pending: row.messages.length - row.ended,
      epoch: row.epoch,
    };
    return row.last;
  }

  #finalState(row: Row, asked: TaskState): TaskState {
    const pending = row.messages.length > row.ended + 1;
    const state = asked === 'TASK_STATE_COMPLETED' && pending ? 'TASK_STATE_WORKING' : asked;
    return row.cancel && !isTerminal(state) ? 'TASK_STATE_CANCELED' : state;
  }

  #log(
    taskId: string,
    row: Row,
    event: Omit<TaskEvent, 'taskId' | 'sequence' | 'payload' | 'endsTurn'> & Partial<TaskEvent>,
  ): TaskEvent {
    const payload = event.payload ?? statusFrame(statusEvent({ taskId, contextId: 'c' }, event.state, 0), event.state);
    const logged = { endsTurn: false, ...event, payload, taskId, sequence: row.events.length + 1 };
    row.events.push(logged);
    return logged;
  }
}

export const unavailable = (): never => {
  throw new StoreUnavailableError('the test says so');
};
