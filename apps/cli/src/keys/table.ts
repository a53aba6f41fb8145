import type { ApiKey } from '#core';
import { dateOf, table } from '../table.js';

const HEADINGS = ['ID', 'TENANT', 'PRINCIPAL', 'SCOPES', 'AGENTS', 'CREATED', 'STATE'];

/** The keys as lines for a person. */
export function keyTable(keys: readonly ApiKey[], now: number): string[] {
  const rows = keys.map((key) => [
    key.id,
    key.tenant === '' ? '-' : (key.tenant ?? 'all'),
    key.principal,
    key.scopes.join(','),
    key.agents?.join(',') ?? 'all',
    dateOf(key.createdAt),
    stateOf(key, now),
  ]);
  return table(HEADINGS, rows);
}

function stateOf({ revokedAt, expiresAt }: ApiKey, now: number): string {
  if (revokedAt !== undefined) return `revoked ${dateOf(revokedAt)}`;
  if (expiresAt === undefined) return 'valid';
  return expiresAt <= now ? `expired ${dateOf(expiresAt)}` : `valid until ${dateOf(expiresAt)}`;
}
