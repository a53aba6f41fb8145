import { describeWithRedis, sharedPlacesContract, testRedisUrl } from '#testing';
import { randomBytes } from 'node:crypto';
import { RedisSharedPlaces } from './redis-shared-places.js';

sharedPlacesContract(
  'Redis',
  async () => {
    const prefix = `test-${randomBytes(4).toString('hex')}`;
    return { open: () => new RedisSharedPlaces({ url: testRedisUrl() as string, prefix }) };
  },
  describeWithRedis,
);
