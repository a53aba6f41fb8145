import { OWN_OPERATIONS, type NewAuditEntry } from '#core';
import { loadLaunchConfig } from '#platform';
import { PostgresAuditLog, type Pools } from '#postgres';
import { userInfo } from 'node:os';

export { OWN_OPERATIONS };

export type Change = Pick<NewAuditEntry, 'operation' | 'tenant' | 'agentId' | 'contextId' | 'taskId' | 'subject'>;

/**
 * Does what a command changes, and has the audit log tell who did it and whether it came about, unless CHORUS_AUDIT is `off`. Rejects as
 * `work`; with StoreUnavailableError also when it is done, and could not be told.
 */
export async function audited<T>(pools: Pools, change: Change, work: () => Promise<T>): Promise<T> {
  if (loadLaunchConfig().audit === 'off') return work();
  const record = (outcome: string): Promise<void> =>
    new PostgresAuditLog(pools).record([{ ...change, at: Date.now(), source: 'command', principal: accountName(), outcome }]);
  const result = await work().catch(async (error: unknown) => {
    await record('FAILED').catch(() => undefined);
    throw error;
  });
  await record('OK');
  return result;
}

/** An account may have a number and no name, as in a container. */
function accountName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? 'unknown');
  }
}
