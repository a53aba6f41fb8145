import type {
  AcceptNew,
  AcceptResult,
  Accepted,
  AgentMemoryStore,
  AgentRegistry,
  ApiKeyStore,
  AuditLog,
  Append,
  AppendResult,
  CallContext,
  Claim,
  EndingStatus,
  ErasureStore,
  NewEvent,
  NotificationKeyStore,
  PushConfigStore,
  PushDeliveryStore,
  PushLedger,
  ReconcileStore,
  RecoveryPolicy,
  Released,
  ReleaseRequest,
  TaskStore,
  TurnStore,
} from '#core';
import { ANONYMOUS, endingStatus, statusEvent } from '#core';
import type { Message, TaskState } from '#protocol';
import { v7 as uuidv7 } from 'uuid';

export interface StoredPushConfig {
  readonly taskId: string;
  readonly id: string;
  readonly receiver: string;
  readonly everyEvent: boolean;
  readonly protocolVersion: '1.0' | '0.3';
  readonly cursor: number;
  readonly scheme?: string;
  readonly secrets?: Buffer;
}

/** One adapter's stores over one database, as a contract needs them. */
export interface Stores {
  readonly tasks: TaskStore;
  readonly turns: TurnStore;
  readonly reconcile: ReconcileStore;
  readonly registry: AgentRegistry;
  readonly apiKeys: ApiKeyStore;
  readonly memory: AgentMemoryStore;
  readonly audit: AuditLog;
  readonly erasure: ErasureStore;
  readonly pushConfigs: PushConfigStore;
  readonly pushes: PushDeliveryStore;
  readonly pushLedger: PushLedger;
  readonly notificationKeys: NotificationKeyStore;
  /** Gives a task a push configuration, as a client does. */
  addPushConfig(config: StoredPushConfig): Promise<void>;
  /** Makes every lease that is held now look expired. */
  expireLeases(): Promise<void>;
  /** Makes every idempotency key look expired. */
  expireKeys(): Promise<void>;
  /** Makes every worker look as if it had last been seen that much earlier. */
  ageWorkers(milliseconds: number): Promise<void>;
  /** Makes what agents remember look as if it had been written that much earlier. */
  ageMemories(milliseconds: number): Promise<void>;
  close(): Promise<void>;
}

export const RETRY: RecoveryPolicy = { recovery: 'retry', maxAttempts: 3 };
export const LEASE_MS = 60_000;
/** Of the workers of a registry under test. */
export const HEARTBEAT_MS = 1000;

export const contextOf = (agentId: string, more: Partial<CallContext> = {}): CallContext => ({
  tenant: '',
  principal: ANONYMOUS,
  agentId,
  extensions: [],
  ...more,
});

export const userMessage = (text: string, more: Partial<Message> = {}): Message => ({
  messageId: `m-${text}`,
  role: 'ROLE_USER',
  parts: [{ text }],
  ...more,
});

let agents = 0;

/** An agent id that no other test uses, so that tests share a database without meeting. */
export const freshAgent = (): string => `agent-${process.pid}-${(agents += 1)}`;

/** The steps of a task's life, over any adapter. */
export class Life {
  constructor(
    readonly stores: Stores,
    readonly ctx: CallContext = contextOf(freshAgent()),
    readonly worker = `worker-${uuidv7()}`,
  ) {}

  async accept(more: Partial<AcceptNew> = {}, ctx = this.ctx): Promise<Accepted> {
    const result = await this.tryAccept(more, ctx);
    if (result.outcome !== 'accepted' && result.outcome !== 'replayed') throw new Error(`refused: ${result.outcome}`);
    return result;
  }

  tryAccept(more: Partial<AcceptNew> = {}, ctx = this.ctx): Promise<AcceptResult> {
    const taskId = more.taskId ?? uuidv7();
    const contextId = more.contextId ?? 'context';
    const message = { ...userMessage('hello'), taskId, contextId };
    return this.stores.tasks.acceptNew(ctx, { taskId, contextId, message, origin: 'api-1', listed: true, ...more });
  }

  followUp(taskId: string, text = 'more', ctx = this.ctx): Promise<AcceptResult> {
    return this.stores.tasks.acceptFollowUp(ctx, { taskId, message: userMessage(text) });
  }

  tryClaim(taskId: string, policy = RETRY, workerId = this.worker): Promise<Claim | undefined> {
    return this.stores.turns.claim({ taskId, workerId, leaseMs: LEASE_MS, policy, contract: 1 });
  }

  async claim(taskId: string, policy = RETRY, workerId = this.worker): Promise<Claim> {
    const claim = await this.tryClaim(taskId, policy, workerId);
    if (!claim) throw new Error('the claim was refused');
    return claim;
  }

  append(claim: Claim, number: number, events: readonly NewEvent[], more: Partial<Append> = {}): Promise<AppendResult> {
    const { fence, turn, attempt } = claim;
    return this.stores.turns.append({
      fence,
      number: claim.appendNo + number,
      turn,
      attempt,
      leaseMs: LEASE_MS,
      events,
      endsTurn: false,
      list: false,
      ...more,
    });
  }

  end(claim: Claim, state: TaskState, number = 1, more: Partial<Append> = {}): Promise<AppendResult> {
    return this.append(claim, number, [status(claim.fence.taskId, state)], { endsTurn: true, ...more });
  }

  /** Accepts, claims and completes a task. */
  async completed(more: Partial<AcceptNew> = {}): Promise<string> {
    const { taskId } = await this.accept(more);
    await this.end(await this.claim(taskId), 'TASK_STATE_COMPLETED');
    return taskId;
  }

  /** Accepts a message and answers it with a Message: no task comes of it. */
  async answered(): Promise<string> {
    const { taskId } = await this.accept({ listed: false });
    const answer = {
      kind: 'answer' as const,
      payload: '{"message":{}}',
      statusRest: ',"timestamp":"2026-01-01T00:00:00.000Z"}',
      statusTimestamp: Date.now(),
    };
    const result = await this.append(await this.claim(taskId), 1, [answer], { endsTurn: true });
    if (result.outcome !== 'appended') throw new Error(`the answer was ${result.outcome}`);
    return taskId;
  }

  release({ fence }: Pick<Claim, 'fence'>, more: Partial<ReleaseRequest> = {}): Promise<Released> {
    const [failed, canceled] = [ending(fence.taskId), ending(fence.taskId)];
    return this.stores.turns.release({ fence, policy: RETRY, countsAttempt: false, failed, canceled, ...more });
  }

  async reap(): Promise<readonly { taskId: string; epoch: number; state?: TaskState }[]> {
    const leases = (await this.stores.reconcile.expiredLeases(1000)).filter(({ agentId }) => agentId === this.ctx.agentId);
    const reaped = await this.stores.reconcile.reap(
      leases.map((lease) => ({ lease, failed: ending(lease.taskId), canceled: ending(lease.taskId) })),
    );
    return reaped.map(({ taskId, epoch, event }) => ({ taskId, epoch, ...(event ? { state: event.state } : {}) }));
  }

  async log(taskId: string, ctx = this.ctx) {
    return (await this.stores.tasks.readEvents(ctx, taskId, 0, 1000)) ?? [];
  }
}

export const status = (taskId: string, state: TaskState, text?: string): NewEvent =>
  statusEvent(
    { taskId, contextId: 'context' },
    state,
    Date.now(),
    text === undefined ? {} : { message: { messageId: text, role: 'ROLE_AGENT', parts: [{ text }] } },
  );

export const artifact = (taskId: string, text: string): NewEvent => ({
  kind: 'artifact',
  payload: JSON.stringify({
    artifactUpdate: { taskId, contextId: 'context', artifact: { artifactId: 'a', parts: [{ text }] }, append: true },
  }),
});

export const ending = (taskId: string): EndingStatus => endingStatus({ taskId, contextId: 'context' }, Date.now());
