import { AuditLog, isTaskId, type AuditEntry, type AuditQuery, type StoredAuditEntry } from '#core';
import { run, type Pools } from './pools.js';
import { AUDIT_ENTRIES, AUDIT_ENTRIES_OF_TASK, AUDIT_ENTRIES_OF_TENANT, RECORD_AUDIT } from './queries/audit.js';

interface AuditRow {
  readonly id: number;
  readonly at: number;
  readonly source: AuditEntry['source'];
  readonly operation: string;
  readonly outcome: string;
  readonly tenant: string | null;
  readonly principal: string | null;
  readonly credential_id: string | null;
  readonly agent_id: string | null;
  readonly task_id: string | null;
  readonly context_id: string | null;
  readonly subject: string | null;
  readonly address: string | null;
  readonly request_id: string | null;
  readonly count: number;
}

/** The audit log in Postgres. It takes none of the connections that tasks need. */
export class PostgresAuditLog extends AuditLog {
  constructor(private readonly pools: Pick<Pools, 'lists'>) {
    super();
  }

  override async record(entries: readonly AuditEntry[]): Promise<void> {
    const column = <T>(pick: (entry: AuditEntry) => T | undefined): (T | null)[] => entries.map((entry) => pick(entry) ?? null);
    await run(this.pools.lists, RECORD_AUDIT, [
      column(({ at }) => at),
      column(({ source }) => source),
      column(({ operation }) => operation),
      column(({ outcome }) => outcome),
      column(({ tenant }) => tenant),
      column(({ principal }) => principal),
      column(({ credentialId }) => credentialId),
      column(({ agentId }) => agentId),
      column(({ taskId }) => taskId),
      column(({ contextId }) => contextId),
      column(({ subject }) => subject),
      column(({ address }) => address),
      column(({ requestId }) => requestId),
      column(({ count }) => count ?? 1),
    ]);
  }

  override async list({ tenant, taskId, ...query }: AuditQuery): Promise<readonly StoredAuditEntry[]> {
    if (taskId !== undefined && !isTaskId(taskId)) return [];
    const { limit, before, principal, agentId, operation, outcome, since, until } = query;
    const values = [limit, ...[before, principal, agentId, operation, outcome, since, until].map((value) => value ?? null)];
    const rows =
      taskId !== undefined
        ? await run<AuditRow>(this.pools.lists, AUDIT_ENTRIES_OF_TASK, [...values, taskId, tenant ?? null])
        : tenant !== undefined
          ? await run<AuditRow>(this.pools.lists, AUDIT_ENTRIES_OF_TENANT, [...values, tenant])
          : await run<AuditRow>(this.pools.lists, AUDIT_ENTRIES, values);
    return rows.map(entryOf);
  }
}

const entryOf = (row: AuditRow): StoredAuditEntry => ({
  ...{ id: row.id, at: row.at, source: row.source, operation: row.operation, outcome: row.outcome, count: row.count },
  ...(row.tenant === null ? {} : { tenant: row.tenant }),
  ...(row.principal === null ? {} : { principal: row.principal }),
  ...(row.credential_id === null ? {} : { credentialId: row.credential_id }),
  ...(row.agent_id === null ? {} : { agentId: row.agent_id }),
  ...(row.task_id === null ? {} : { taskId: row.task_id }),
  ...(row.context_id === null ? {} : { contextId: row.context_id }),
  ...(row.subject === null ? {} : { subject: row.subject }),
  ...(row.address === null ? {} : { address: row.address }),
  ...(row.request_id === null ? {} : { requestId: row.request_id }),
});
