import type { StoredAuditEntry } from '../ports/audit-log.js';

/** An entry of the audit log as operators are shown it, by the command and over HTTP. */
export interface ShownAuditEntry {
  readonly id: number;
  readonly at: string;
  readonly source: StoredAuditEntry['source'];
  readonly operation: string;
  readonly outcome: string;
  readonly count: number;
  readonly tenant?: string;
  readonly principal?: string;
  readonly credential?: string;
  readonly agent?: string;
  readonly task?: string;
  readonly context?: string;
  readonly subject?: string;
  readonly address?: string;
  readonly requestId?: string;
}

export function shownAuditEntry({ at, credentialId, agentId, taskId, contextId, ...entry }: StoredAuditEntry): ShownAuditEntry {
  const { id, source, operation, outcome, count, tenant, principal, subject, address, requestId } = entry;
  return {
    ...{ id, at: new Date(at).toISOString(), source, operation, outcome, count },
    ...present({ tenant, principal, credential: credentialId, agent: agentId, task: taskId, context: contextId }),
    ...present({ subject, address, requestId }),
  };
}

const present = (fields: Readonly<Record<string, string | undefined>>): Record<string, string> =>
  Object.fromEntries(Object.entries(fields).filter((field): field is [string, string] => field[1] !== undefined));
