import { createTestDatabase } from '#testing';
import { agentMemoryStoreContract } from '../../testing/src/contracts/agent-memory-store.contract.js';
import { auditLogContract } from '../../testing/src/contracts/audit-log.contract.js';
import { agentRegistryContract } from '../../testing/src/contracts/agent-registry.contract.js';
import { apiKeyStoreContract } from '../../testing/src/contracts/api-key-store.contract.js';
import { erasureStoreContract } from '../../testing/src/contracts/erasure-store.contract.js';
import { HEARTBEAT_MS, type Stores } from '../../testing/src/contracts/store-fixture.js';
import { taskListContract } from '../../testing/src/contracts/task-list.contract.js';
import { taskStoreContract } from '../../testing/src/contracts/task-store.contract.js';
import { notificationKeyStoreContract } from '../../testing/src/contracts/notification-key-store.contract.js';
import { pushConfigStoreContract } from '../../testing/src/contracts/push-config-store.contract.js';
import { pushDeliveryStoreContract } from '../../testing/src/contracts/push-delivery-store.contract.js';
import { pushLedgerContract } from '../../testing/src/contracts/push-ledger.contract.js';
import { reconcileStoreContract } from '../../testing/src/contracts/reconcile-store.contract.js';
import { turnStoreContract } from '../../testing/src/contracts/turn-store.contract.js';
import { Pools } from './pools.js';
import { PostgresAgentMemoryStore } from './postgres-agent-memory-store.js';
import { PostgresAgentRegistry } from './postgres-agent-registry.js';
import { PostgresApiKeyStore } from './postgres-api-key-store.js';
import { PostgresAuditLog } from './postgres-audit-log.js';
import { PostgresErasureStore } from './postgres-erasure-store.js';
import { PostgresNotificationKeyStore } from './postgres-notification-key-store.js';
import { PostgresPushConfigStore } from './postgres-push-config-store.js';
import { PostgresPushDeliveryStore } from './postgres-push-delivery-store.js';
import { PostgresPushLedger } from './postgres-push-ledger.js';
import { PostgresReconcileStore } from './postgres-reconcile-store.js';
import { PostgresTaskStore } from './postgres-task-store.js';
import { PostgresTurnStore } from './postgres-turn-store.js';

async function open(): Promise<Stores> {
  const database = await createTestDatabase();
  const pools = new Pools({
    connectionString: database.url,
    size: 8,
    listSize: 2,
    statementTimeoutMs: 10_000,
    applicationName: 'spec',
    onError: () => undefined,
  });
  return {
    tasks: new PostgresTaskStore(pools),
    turns: new PostgresTurnStore(pools),
    reconcile: new PostgresReconcileStore(pools),
    registry: new PostgresAgentRegistry(pools, { heartbeatMs: HEARTBEAT_MS }),
    apiKeys: new PostgresApiKeyStore(pools),
    memory: new PostgresAgentMemoryStore(pools),
    audit: new PostgresAuditLog(pools),
    erasure: new PostgresErasureStore(pools),
    pushConfigs: new PostgresPushConfigStore(pools),
    pushes: new PostgresPushDeliveryStore(pools),
    pushLedger: new PostgresPushLedger(pools),
    notificationKeys: new PostgresNotificationKeyStore(pools),
    async addPushConfig({ taskId, id, receiver, everyEvent, protocolVersion, cursor, scheme, secrets }) {
      await pools.hot.query(
        `insert into push_config (task_id, id, scope_id, protocol_version, url, receiver, scheme, secrets, every_event, created_at, cursor, due_at)
         select t.id, $2, t.scope_id, $3, $4 || '/hook', $4, $5, $6, $7, now(), $8, date_trunc('milliseconds', now()) from task t where t.id = $1`,
        [taskId, id, protocolVersion, receiver, scheme ?? null, secrets ?? null, everyEvent, cursor],
      );
      await pools.hot.query('update task set pushes = true where id = $1', [taskId]);
    },
    async expireLeases() {
      for (const table of ['task', 'push_config']) {
        await pools.hot.query(`update ${table} set lease_expires_at = now() - interval '1 hour' where lease_owner is not null`);
      }
    },
    async expireKeys() {
      await pools.hot.query(`update idempotency_key set expires_at = now() - interval '1 hour'`);
    },
    async ageWorkers(milliseconds) {
      await pools.hot.query(`update worker set last_seen_at = last_seen_at - interval '${milliseconds} ms'`);
    },
    async ageMemories(milliseconds) {
      await pools.hot.query(`update agent_memory set updated_at = updated_at - interval '${milliseconds} ms'`);
    },
    async close() {
      await pools.close();
      await database.drop();
    },
  };
}

taskStoreContract('Postgres', open);
taskListContract('Postgres', open);
turnStoreContract('Postgres', open);
reconcileStoreContract('Postgres', open);
agentRegistryContract('Postgres', open);
agentMemoryStoreContract('Postgres', open);
apiKeyStoreContract('Postgres', open);
auditLogContract('Postgres', open);
erasureStoreContract('Postgres', open);
pushConfigStoreContract('Postgres', open);
pushDeliveryStoreContract('Postgres', open);
pushLedgerContract('Postgres', open);
notificationKeyStoreContract('Postgres', open);
