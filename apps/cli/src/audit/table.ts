import type { StoredAuditEntry } from '#core';
import { table } from '../table.js';

const HEADINGS = ['ID', 'TIME', 'TENANT', 'WHO', 'OPERATION', 'OUTCOME', 'ABOUT', 'FROM'];

/** Entries as lines for a person. */
export const auditTable = (entries: readonly StoredAuditEntry[]): string[] =>
  table(
    HEADINGS,
    entries.map((entry) => [
      String(entry.id),
      new Date(entry.at).toISOString().slice(0, 19).replace('T', ' '),
      entry.tenant === '' ? '-' : (entry.tenant ?? ''),
      whoOf(entry),
      entry.operation,
      entry.count === 1 ? entry.outcome : `${entry.outcome} (${entry.count} times)`,
      [entry.agentId, entry.taskId, entry.subject].filter((word) => word !== undefined).join(' '),
      entry.address ?? (entry.source === 'command' ? 'chorus command' : ''),
    ]),
  );

const whoOf = ({ principal, credentialId }: StoredAuditEntry): string =>
  credentialId === undefined ? (principal ?? '') : `${principal ?? ''} (${credentialId})`;
