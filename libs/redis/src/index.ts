export { oneWritePerTick } from './one-write-per-tick.js';
export { RedisEventBus } from './redis-event-bus.js';
export type { RedisEventBusOptions } from './redis-event-bus.js';
