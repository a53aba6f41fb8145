import { parseSince } from './since.js';

const NOW = Date.UTC(2026, 11, 1);

it.each([
  ['30m', NOW - 1_800_000],
  ['12h', NOW - 43_200_000],
  ['7d', NOW - 7 * 86_400_000],
  ['2026-11-30', Date.UTC(2026, 10, 30)],
  ['2026-11-30T18:00Z', Date.UTC(2026, 10, 30, 18)],
])('%s', (text, at) => expect(parseSince(text, NOW)).toBe(at));

it.each(['', '7', '7w', '-1d', 'yesterday', '2026-13-01'])('%s is no time', (text) =>
  expect(parseSince(text, NOW)).toBeUndefined(),
);
