import { describeWithRedis, rateLimiterContract, testRedisUrl } from '#testing';
import { randomBytes } from 'node:crypto';
import { RedisRateLimiter } from './redis-rate-limiter.js';

rateLimiterContract(
  'Redis',
  async () => {
    const prefix = `test-${randomBytes(4).toString('hex')}`;
    return { open: () => new RedisRateLimiter({ url: testRedisUrl() as string, prefix }) };
  },
  describeWithRedis,
);
