export { RedisEventBus } from './redis-event-bus.js';
export type { RedisEventBusOptions } from './redis-event-bus.js';
