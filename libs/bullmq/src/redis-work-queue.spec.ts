import { randomBytes } from 'node:crypto';
import { describeWithRedis, testRedisUrl, workQueueContract } from '#testing';
import { redisWorkQueue } from './redis-work-queue.js';

workQueueContract(
  'BullMQ on Redis',
  async () => {
    const prefix = `test-${randomBytes(4).toString('hex')}`;
    return { open: () => redisWorkQueue({ url: testRedisUrl() as string, prefix, laterMs: 100 }) };
  },
  describeWithRedis,
);
