import { isTaskId, OWN_OPERATIONS, type AuditTrail, type CallContext, type Caller, type NewAuditEntry } from '#core';
import { A2AError, OPERATIONS, type OperationName } from '#protocol';
import { headerOf, type CallRequest } from './http.js';

/** Operations that change nothing. A subscription is one: it only listens. */
const READS: ReadonlySet<OperationName> = new Set<OperationName>([
  ...(['getTask', 'listTasks', 'subscribeToTask', 'getTaskPushNotificationConfig'] as const),
  ...(['listTaskPushNotificationConfigs', 'getExtendedAgentCard'] as const),
]);

/** Reasons of errors by which somebody was kept from something. */
const REFUSALS: ReadonlySet<string> = new Set(['UNAUTHENTICATED', 'PERMISSION_DENIED', 'RATE_LIMITED']);

/** Printable ASCII: what proxies make, and nothing that could be more than an id. */
const REQUEST_ID = /^[\x21-\x7e]{1,128}$/;

type Who = Pick<NewAuditEntry, 'tenant' | 'principal' | 'credentialId' | 'address' | 'requestId'>;

/** Who sent a request, and from where. Keeps nothing of the request. */
export function whoSent({ clientAddress, headers }: CallRequest, caller?: Caller): Who {
  const requestId = headerOf(headers, 'x-request-id');
  return {
    ...(caller === undefined ? {} : { principal: caller.principal.id }),
    ...(caller?.tenant === undefined ? {} : { tenant: caller.tenant }),
    ...(caller?.credentialId === undefined ? {} : { credentialId: caller.credentialId }),
    ...(clientAddress === undefined ? {} : { address: clientAddress }),
    ...(requestId === undefined || !REQUEST_ID.test(requestId) ? {} : { requestId }),
  };
}

/** Tells the audit log of a request that was refused before anyone knew what it asks for. */
export function auditAdmission(trail: AuditTrail | undefined, request: CallRequest, error: unknown, caller?: Caller): void {
  if (trail === undefined || !isRefusal(error)) return;
  const { admit: operation } = OWN_OPERATIONS;
  trail.addRefusal({ source: 'a2a', operation, outcome: error.row.reason, ...whoSent(request, caller) });
}

export const isRefusal = (error: unknown): error is A2AError => error instanceof A2AError && REFUSALS.has(error.row.reason);

/** What one call of an operation leaves in the audit log: one entry at most. It outlives the request, and holds nothing of it. */
export class CallAudit {
  readonly #about: NewAuditEntry;
  readonly #isRead: boolean;
  #agentId: string | undefined;
  #tenant: string | undefined;
  #told = false;

  constructor(
    private readonly trail: AuditTrail,
    request: CallRequest,
    caller: Caller,
    operation: OperationName,
  ) {
    this.#isRead = READS.has(operation);
    this.#about = { source: 'a2a', operation: OPERATIONS[operation].method, outcome: 'OK', ...whoSent(request, caller) };
  }

  /** The agent that is asked: one that there is. */
  asks(agentId: string): void {
    this.#agentId = agentId;
  }

  /** `ctx`, such that the task of a message is told of as soon as it is accepted: waiting for its answer is no part of it. */
  follow(ctx: CallContext): CallContext {
    this.#tenant = ctx.tenant;
    return { ...ctx, onAccepted: ({ taskId, contextId }) => this.#tell('OK', { taskId, contextId }) };
  }

  /** `taskId` is what the request named. */
  succeeded(taskId: unknown): void {
    this.#tell('OK', taskOf(taskId));
  }

  failed(error: A2AError, taskId: unknown): void {
    this.#tell(error.row.reason, taskOf(taskId));
  }

  #tell(outcome: string, task: Pick<NewAuditEntry, 'taskId' | 'contextId'>): void {
    // Of an agent that there is not, nothing can have been asked.
    if (this.#told || this.#agentId === undefined) return;
    this.#told = true;
    const entry: NewAuditEntry = {
      ...this.#about,
      ...(this.#tenant === undefined ? {} : { tenant: this.#tenant }),
      ...task,
      agentId: this.#agentId,
      outcome,
    };
    if (REFUSALS.has(outcome)) this.trail.addRefusal(entry);
    else if (!this.#isRead || this.trail.reads) this.trail.add(entry);
  }
}

/** What is no id of a task may be anything. */
const taskOf = (taskId: unknown): { readonly taskId?: string } =>
  typeof taskId === 'string' && isTaskId(taskId) ? { taskId } : {};
