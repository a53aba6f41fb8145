import { jest } from '@jest/globals';
import type { Logger } from '../logger.js';
import { RateLimiter, type RateDecision } from '../ports/rate-limiter.js';
import { FallbackRateLimiter } from './fallback-rate-limiter.js';

const LIMIT = { requests: 2, seconds: 3600 };
const ADMITTED: RateDecision = { admitted: true, remaining: 7, resetMs: 1, retryAfterMs: 0 };

class Server extends RateLimiter {
  asked = 0;

  constructor(private readonly answer: () => Promise<RateDecision>) {
    super();
  }

  override take(): Promise<RateDecision> {
    this.asked += 1;
    return this.answer();
  }

  override async close(): Promise<void> {}
}

const loggerWith = (warn: Logger['warn']): Logger => ({ debug() {}, info() {}, warn, error() {} });

it('the shared count decides while its server answers', async () => {
  const warn = jest.fn();
  const limiter = new FallbackRateLimiter(new Server(async () => ADMITTED), loggerWith(warn));
  for (let i = 0; i < 5; i += 1) expect(await limiter.take('k', LIMIT)).toBe(ADMITTED);
  expect(warn).not.toHaveBeenCalled();
});

it.each<[string, () => Promise<RateDecision>]>([
  ['cannot be reached', () => Promise.reject(new Error('gone'))],
  ['does not answer', () => new Promise(() => undefined)],
])('a server that %s: this process counts alone, from what was used before, and says so once', async (_what, fails) => {
  const warn = jest.fn();
  let answer: () => Promise<RateDecision> = async () => ADMITTED;
  const server = new Server(() => answer());
  const limiter = new FallbackRateLimiter(server, loggerWith(warn), 20);
  await limiter.take('k', LIMIT);
  answer = fails;
  expect(await limiter.take('k', LIMIT)).toMatchObject({ admitted: true, remaining: 0 });
  expect(await limiter.take('k', LIMIT)).toMatchObject({ admitted: false });
  // The server is left alone for a while: requests do not wait for it one by one.
  expect(server.asked).toBe(2);
  expect(warn).toHaveBeenCalledTimes(1);
});
