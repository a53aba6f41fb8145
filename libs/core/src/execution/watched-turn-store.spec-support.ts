import { InMemoryAgentMemoryStore, InMemoryDatabase, InMemoryTaskStore, InMemoryTurnStore } from '#testing';
import type { Struct } from '#protocol';
import { ANONYMOUS } from '../call-context.js';
import { StoreUnavailableError } from '../ports/task-store.js';
import type { TaskEvent } from '../task/task-event.js';
import type { Append, AppendResult, Claim, ClaimRequest, Fence, HeartbeatAnswer } from '../ports/turn-store.js';

const CTX = { tenant: '', principal: ANONYMOUS, agentId: 'a', extensions: [] };
const CALLS = ['claim', 'append', 'heartbeat', 'release'] as const;

type Call = (typeof CALLS)[number];
type Gate = (call: Call, phase: 'request' | 'answer') => Promise<void> | void;
type Row = NonNullable<ReturnType<InMemoryDatabase['tasks']['get']>>;

/** The lease holder's side of the store in memory, with what was asked of it, and what other processes may do to its rows. */
export class WatchedTurnStore extends InMemoryTurnStore {
  readonly claims: ('claim' | 'again')[] = [];
  readonly appends: Append[] = [];
  readonly heartbeats: (readonly Fence[])[] = [];
  readonly memory: InMemoryAgentMemoryStore;
  readonly #database: InMemoryDatabase;
  readonly #tasks: InMemoryTaskStore;

  constructor(database = new InMemoryDatabase({ now: () => Date.parse('2026-01-01T00:00:00.000Z') })) {
    super(database);
    this.#database = database;
    this.memory = new InMemoryAgentMemoryStore(database);
    this.#tasks = new InMemoryTaskStore(database);
  }

  /** Runs before (`request`) and after (`answer`) each call of the lease holder; throwing makes the store unavailable to it. */
  set gate(gate: Gate) {
    this.#database.gate = (call, phase) => (CALLS.includes(call as Call) ? gate(call as Call, phase) : undefined);
  }

  /** Accepts a message: the first of a task or a further one. Their ids are m1, m2, … */
  async accept(taskId: string, text: string, { listed = true }: { listed?: boolean } = {}): Promise<void> {
    const known = this.#database.tasks.get(taskId);
    const message = {
      messageId: `m${(known?.turns.length ?? 0) + 1}`,
      role: 'ROLE_USER' as const,
      parts: [{ text }],
      taskId,
      contextId: 'c',
    };
    if (known) await this.#tasks.acceptFollowUp(CTX, { taskId, message });
    else await this.#tasks.acceptNew(CTX, { taskId, contextId: 'c', message, origin: 'api-1', listed });
  }

  row(taskId: string): Row {
    const row = this.#database.tasks.get(taskId);
    if (!row) throw new Error(`no task ${taskId}`);
    return row;
  }

  /** The events as readers get them. */
  async log(taskId: string): Promise<readonly TaskEvent[]> {
    return (await this.#tasks.readEvents(CTX, taskId, 0, 1000)) ?? [];
  }

  /** The worker that holds the task's lease. */
  holderOf(taskId: string): string | undefined {
    return this.row(taskId).lease?.owner;
  }

  /** What a reaper would do. */
  takeLeaseAway(taskId: string): void {
    const row = this.row(taskId);
    delete row.lease;
    row.epoch += 1;
  }

  /** What an API does while the task has a lease holder. */
  requestCancel(taskId: string, metadata: Struct = {}): void {
    this.row(taskId).cancel = { requestedAt: this.#database.now(), metadata };
  }

  override async claim(request: ClaimRequest): Promise<Claim | undefined> {
    this.claims.push(request.again ? 'again' : 'claim');
    return super.claim(request);
  }

  override async append(append: Append): Promise<AppendResult> {
    this.appends.push(append);
    return super.append(append);
  }

  override async heartbeat(workerId: string, fences: readonly Fence[], leaseMs: number): Promise<readonly HeartbeatAnswer[]> {
    this.heartbeats.push(fences);
    return super.heartbeat(workerId, fences, leaseMs);
  }
}

export const unavailable = (): never => {
  throw new StoreUnavailableError('the test says so');
};
