import { rateLimiterContract } from '#testing';
import { InProcessRateLimiter } from './in-process-rate-limiter.js';

// Replicas of one process are one.
rateLimiterContract('in process', async () => {
  const limiter = new InProcessRateLimiter();
  return { open: () => limiter };
});

it('admits at an even pace once the bucket is empty', async () => {
  let now = 0;
  const limiter = new InProcessRateLimiter(() => now);
  const limit = { requests: 60, seconds: 60 };
  for (let i = 0; i < 60; i += 1) expect(limiter.takeNow('k', limit).admitted).toBe(true);
  const admitted: number[] = [];
  for (now = 100; now <= 5000; now += 100) if (limiter.takeNow('k', limit).admitted) admitted.push(now);
  expect(admitted).toEqual([1000, 2000, 3000, 4000, 5000]);
});

it('remembers no more keys than there is room for, the latest ones', async () => {
  const limiter = new InProcessRateLimiter(() => 0);
  const limit = { requests: 1, seconds: 60 };
  for (let i = 0; i <= 100_000; i += 1) limiter.takeNow(String(i), limit);
  expect(limiter.takeNow('100000', limit).admitted).toBe(false);
  expect(limiter.takeNow('0', limit).admitted).toBe(true);
});
