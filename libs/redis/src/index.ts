export { oneWritePerTick } from './one-write-per-tick.js';
export { RedisRateLimiter } from './redis-rate-limiter.js';
export type { RedisRateLimiterOptions } from './redis-rate-limiter.js';
export { RedisSharedPlaces } from './redis-shared-places.js';
export type { RedisSharedPlacesOptions } from './redis-shared-places.js';
export { RedisEventBus } from './redis-event-bus.js';
export type { RedisEventBusOptions } from './redis-event-bus.js';
