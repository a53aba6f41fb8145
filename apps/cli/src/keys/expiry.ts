const UNITS_MS = { h: 3_600_000, d: 86_400_000 } as const;
const DATE = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2}))?$/;

/**
 * When a key ends, in milliseconds since the epoch: `12h` or `90d` from `now`, or a date as `2027-01-31` (its beginning, UTC) or
 * `2027-01-31T18:00Z`. Undefined for anything else, and for what is not in the future.
 */
export function parseExpiry(text: string, now: number): number | undefined {
  const [, count, unit] = /^(\d{1,5})([hd])$/.exec(text) ?? [];
  const at = count === undefined ? parseDate(text) : now + Number(count) * UNITS_MS[unit as keyof typeof UNITS_MS];
  return at !== undefined && at > now ? at : undefined;
}

/** Undefined for what is no date. */
export function parseDate(text: string): number | undefined {
  const at = DATE.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(at) ? undefined : at;
}
