export { BullMqWorkQueue } from './bullmq-work-queue.js';
export { postgresWorkQueue } from './postgres-work-queue.js';
export type { PostgresWorkQueueOptions } from './postgres-work-queue.js';
export { redisWorkQueue } from './redis-work-queue.js';
export type { RedisWorkQueueOptions } from './redis-work-queue.js';
