import { AuditLog, type AuditEntry, type AuditQuery, type StoredAuditEntry } from '#core';
import type { InMemoryDatabase } from './in-memory-database.js';

/** The audit log of an `InMemoryDatabase`. */
export class InMemoryAuditLog extends AuditLog {
  constructor(private readonly database: InMemoryDatabase) {
    super();
  }

  override record(entries: readonly AuditEntry[]): Promise<void> {
    return this.database.call('recordAudit', () => {
      for (const entry of entries) {
        this.database.auditEntries.push({ ...entry, count: entry.count ?? 1, id: (this.database.auditEntryCount += 1) });
      }
    });
  }

  override list({ since, until, before, limit, ...query }: AuditQuery): Promise<readonly StoredAuditEntry[]> {
    return this.database.call('listAudit', () => {
      const wanted = Object.entries(query).filter(([, value]) => value !== undefined);
      const fits = (entry: StoredAuditEntry): boolean =>
        wanted.every(([field, value]) => entry[field as keyof StoredAuditEntry] === value) &&
        (since === undefined || entry.at >= since) &&
        (until === undefined || entry.at < until) &&
        (before === undefined || entry.id < before);
      return this.database.auditEntries.filter(fits).reverse().slice(0, limit);
    });
  }
}
