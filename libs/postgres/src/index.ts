export { pageTokenKey } from './host-secret.js';
export {
  BrokenMigrationError,
  NewerDatabaseError,
  PendingMigrationError,
  migrate,
  migrationStatus,
  requireMigrated,
} from './migrations/migrate.js';
export type { MigrationStatus } from './migrations/migrate.js';
export { NotifyEventBus } from './notify-event-bus.js';
export type { NotifyEventBusOptions } from './notify-event-bus.js';
export { PostgresRateLimiter } from './postgres-rate-limiter.js';
export { PostgresSharedPlaces } from './postgres-shared-places.js';
export { Pools } from './pools.js';
export type { PoolsOptions } from './pools.js';
export { PostgresApiKeyStore } from './postgres-api-key-store.js';
export { PostgresAgentMemoryStore } from './postgres-agent-memory-store.js';
export { PostgresAgentRegistry } from './postgres-agent-registry.js';
export { PostgresAuditLog } from './postgres-audit-log.js';
export { PostgresErasureStore } from './postgres-erasure-store.js';
export { PostgresNotificationKeyStore } from './postgres-notification-key-store.js';
export { PostgresPushConfigStore } from './postgres-push-config-store.js';
export { PostgresPushDeliveryStore } from './postgres-push-delivery-store.js';
export { PostgresPushLedger } from './postgres-push-ledger.js';
export { PostgresReconcileStore } from './postgres-reconcile-store.js';
export { PostgresTaskStore } from './postgres-task-store.js';
export { PostgresTurnStore } from './postgres-turn-store.js';
