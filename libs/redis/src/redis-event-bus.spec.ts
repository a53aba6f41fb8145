import { describeWithRedis, eventBusContract, testRedisUrl } from '#testing';
import { randomBytes } from 'node:crypto';
import { RedisEventBus } from './redis-event-bus.js';

eventBusContract(
  'Redis',
  async () => {
    const prefix = `test-${randomBytes(4).toString('hex')}`;
    return { open: () => new RedisEventBus({ url: testRedisUrl() as string, prefix }) };
  },
  describeWithRedis,
);
