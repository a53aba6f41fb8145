import type { ApiKey } from '#core';

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
  const widths = HEADINGS.map((heading, column) =>
    Math.max(heading.length, ...rows.map((row) => (row[column] as string).length)),
  );
  return [HEADINGS, ...rows].map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] as number))
      .join('  ')
      .trimEnd(),
  );
}

function stateOf({ revokedAt, expiresAt }: ApiKey, now: number): string {
  if (revokedAt !== undefined) return `revoked ${dateOf(revokedAt)}`;
  if (expiresAt === undefined) return 'valid';
  return expiresAt <= now ? `expired ${dateOf(expiresAt)}` : `valid until ${dateOf(expiresAt)}`;
}

const dateOf = (at: number): string => new Date(at).toISOString().slice(0, 16).replace('T', ' ');
