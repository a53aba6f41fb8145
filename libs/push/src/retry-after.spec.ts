import { retryAfterMs } from './retry-after.js';

const NOW = Date.parse('2026-01-01T00:00:00Z');

describe('Retry-After', () => {
  it.each([
    ['120', 120_000],
    [' 0 ', 0],
    ['Thu, 01 Jan 2026 00:01:00 GMT', 60_000],
    ['Wed, 31 Dec 2025 23:59:00 GMT', 0],
    ['-1', undefined],
    ['1.5', undefined],
    ['soon', undefined],
    ['', undefined],
    [null, undefined],
  ])('%j is %s ms', (value, expected) => {
    expect(retryAfterMs(value, NOW)).toBe(expected);
  });
});
