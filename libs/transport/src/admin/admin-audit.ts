import { OWN_OPERATIONS, type AuditTrail, type Caller, type NewAuditEntry } from '#core';
import type { A2AError } from '#protocol';
import { isRefusal, whoSent } from '../audit.js';
import type { CallRequest } from '../http.js';

/** What a request of an administrator changes, as far as it is known when it begins. */
export type Change = Pick<NewAuditEntry, 'operation' | 'tenant' | 'agentId' | 'taskId' | 'contextId' | 'subject'>;

/** What one request to the admin API leaves in the audit log: one entry at most. */
export class AdminAudit {
  #change: Change | undefined;
  #subject: string | undefined;

  constructor(
    private readonly trail: AuditTrail,
    private readonly request: CallRequest,
    private readonly caller: Caller,
  ) {}

  /** Which route answers, as `GET /admin/push`. */
  goesTo(route: string): void {
    this.#subject = route;
  }

  changes(change: Change): void {
    this.#change = change;
  }

  succeeded(): void {
    if (this.#change !== undefined || this.trail.reads) this.trail.add(this.#entry('OK'));
  }

  failed(error: A2AError): void {
    const entry = this.#entry(error.row.reason);
    if (isRefusal(error)) this.trail.addRefusal(entry);
    else if (this.#change !== undefined || this.trail.reads) this.trail.add(entry);
  }

  #entry(outcome: string): NewAuditEntry {
    const { administrate: operation } = OWN_OPERATIONS;
    const subject = this.#subject === undefined ? {} : { subject: this.#subject };
    return { ...whoSent(this.request, this.caller), ...subject, operation, ...this.#change, source: 'admin', outcome };
  }
}
