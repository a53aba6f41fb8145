import { parseExpiry } from './expiry.js';

const NOW = Date.UTC(2026, 11, 1);

describe('parseExpiry', () => {
  it.each([
    ['12h', NOW + 12 * 3_600_000],
    ['90d', NOW + 90 * 86_400_000],
    ['2027-01-31', Date.UTC(2027, 0, 31)],
    ['2027-01-31T18:00Z', Date.UTC(2027, 0, 31, 18)],
    ['2027-01-31T18:00:30+02:00', Date.UTC(2027, 0, 31, 16, 0, 30)],
  ])('%s', (text, at) => expect(parseExpiry(text, NOW)).toBe(at));

  it.each(['', '0d', '90', '90m', '-1d', '2026-11-30', '2027-13-01', '31.1.2027', 'tomorrow', '2027-01-31T18:00'])(
    '%s is no time to come',
    (text) => expect(parseExpiry(text, NOW)).toBeUndefined(),
  );
});
