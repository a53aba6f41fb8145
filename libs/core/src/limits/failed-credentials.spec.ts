import { RateLimitedError } from '#protocol';
import { FailedCredentials } from './failed-credentials.js';
import { InProcessRateLimiter } from './in-process-rate-limiter.js';

const LIMIT = { requests: 3, seconds: 30 };
let now: number;
let shared: InProcessRateLimiter;
let failures: FailedCredentials;

beforeEach(() => {
  now = 0;
  shared = new InProcessRateLimiter(() => now);
  failures = new FailedCredentials(shared, LIMIT, () => now);
});

const guess = async (on: FailedCredentials, address = '192.0.2.1', credential = 'wrong'): Promise<void> => {
  on.requirePatience(address, credential);
  await on.failed(address, credential);
};
const exhaust = async (): Promise<void> => {
  for (let i = 0; i < 3; i += 1) await guess(failures);
  await expect(guess(failures)).rejects.toThrow(RateLimitedError);
};

it('after too many failures what the address sends is refused unseen, until the next attempt is due', async () => {
  await exhaust();
  expect(() => failures.requirePatience('192.0.2.1', 'right')).toThrow(
    expect.objectContaining({ name: 'RateLimitedError', retryAfterMs: 10_000 }),
  );
  now = 9_999;
  expect(() => failures.requirePatience('192.0.2.1', 'right')).toThrow(RateLimitedError);
  now = 10_000;
  expect(() => failures.requirePatience('192.0.2.1', 'right')).not.toThrow();
  await guess(failures);
  await expect(guess(failures)).rejects.toThrow(RateLimitedError);
});

it('other addresses are not concerned', async () => {
  await exhaust();
  await guess(failures, '192.0.2.2');
});

it('a credential that has been valid goes on, until it is not valid any more', async () => {
  failures.succeeded('right');
  await exhaust();
  expect(() => failures.requirePatience('192.0.2.1', 'right')).not.toThrow();
  await expect(failures.failed('192.0.2.1', 'right')).rejects.toThrow(RateLimitedError);
  expect(() => failures.requirePatience('192.0.2.1', 'right')).toThrow(RateLimitedError);
});

it('replicas count together: each finds out with the first failure that it sees', async () => {
  await exhaust();
  const other = new FailedCredentials(shared, LIMIT, () => now);
  await expect(guess(other)).rejects.toThrow(RateLimitedError);
  expect(() => other.requirePatience('192.0.2.1', 'right')).toThrow(RateLimitedError);
});
