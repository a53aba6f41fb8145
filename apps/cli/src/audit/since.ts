import { parseDate } from '../keys/expiry.js';

const UNITS_MS = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/**
 * A time that has been, in milliseconds since the epoch: `30m`, `12h` or `7d` before `now`, or a date as `2027-01-31` (its beginning,
 * UTC) or `2027-01-31T18:00Z`. Undefined for anything else.
 */
export function parseSince(text: string, now: number): number | undefined {
  const [, count, unit] = /^(\d{1,5})([mhd])$/.exec(text) ?? [];
  return count === undefined ? parseDate(text) : now - Number(count) * UNITS_MS[unit as keyof typeof UNITS_MS];
}
