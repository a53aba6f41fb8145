const RFC_3339 = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?(?:Z|([+-])(\d\d):(\d\d))$/;

/** The range of google.protobuf.Timestamp. */
const MIN_MS = -62_135_596_800_000;
const MAX_MS = 253_402_300_799_999;

/**
 * `text` in UTC with milliseconds and `Z`, or undefined when it is no RFC 3339 timestamp between the years 1 and 9999
 * (section 5.6.1). What is finer than a millisecond is rounded up: stored times have milliseconds, and only so does
 * "at or after" mean the same before and after.
 */
export function normaliseTimestamp(text: string): string | undefined {
  const match = RFC_3339.exec(text);
  if (!match) return undefined;
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  if (month < 1 || month > 12 || day < 1 || day > daysOf(year, month) || hour > 23 || minute > 59 || second > 59)
    return undefined;
  const offset = Number(match[9] ?? 0) * 60 + Number(match[10] ?? 0);
  if (Number(match[9] ?? 0) > 23 || Number(match[10] ?? 0) > 59) return undefined;
  const fraction = Math.ceil(Number((match[7] ?? '').padEnd(9, '0')) / 1e6);
  // Date.UTC would read the years 0 to 99 as 1900 to 1999.
  const midnight = new Date(0).setUTCFullYear(year, month - 1, day);
  const local = midnight + ((hour * 60 + minute) * 60 + second) * 1000 + fraction;
  const ms = local - (match[8] === '-' ? -offset : offset) * 60_000;
  if (ms < MIN_MS || ms > MAX_MS + 1) return undefined;
  return new Date(Math.min(ms, MAX_MS)).toISOString();
}

const daysOf = (year: number, month: number): number => {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
};
