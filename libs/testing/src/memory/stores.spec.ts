import { agentMemoryStoreContract } from '../contracts/agent-memory-store.contract.js';
import { auditLogContract } from '../contracts/audit-log.contract.js';
import { agentRegistryContract } from '../contracts/agent-registry.contract.js';
import { apiKeyStoreContract } from '../contracts/api-key-store.contract.js';
import { erasureStoreContract } from '../contracts/erasure-store.contract.js';
import { HEARTBEAT_MS, type Stores } from '../contracts/store-fixture.js';
import { taskListContract } from '../contracts/task-list.contract.js';
import { taskStoreContract } from '../contracts/task-store.contract.js';
import { notificationKeyStoreContract } from '../contracts/notification-key-store.contract.js';
import { pushConfigStoreContract } from '../contracts/push-config-store.contract.js';
import { pushDeliveryStoreContract } from '../contracts/push-delivery-store.contract.js';
import { pushLedgerContract } from '../contracts/push-ledger.contract.js';
import { reconcileStoreContract } from '../contracts/reconcile-store.contract.js';
import { turnStoreContract } from '../contracts/turn-store.contract.js';
import { InMemoryAgentMemoryStore } from './in-memory-agent-memory-store.js';
import { InMemoryAgentRegistry } from './in-memory-agent-registry.js';
import { InMemoryApiKeyStore } from './in-memory-api-key-store.js';
import { InMemoryAuditLog } from './in-memory-audit-log.js';
import { InMemoryDatabase } from './in-memory-database.js';
import { InMemoryErasureStore } from './in-memory-erasure-store.js';
import { InMemoryNotificationKeyStore } from './in-memory-notification-key-store.js';
import { InMemoryPushConfigStore } from './in-memory-push-config-store.js';
import { InMemoryPushDeliveryStore } from './in-memory-push-delivery-store.js';
import { InMemoryPushLedger } from './in-memory-push-ledger.js';
import { InMemoryReconcileStore } from './in-memory-reconcile-store.js';
import { InMemoryTaskStore } from './in-memory-task-store.js';
import { InMemoryTurnStore } from './in-memory-turn-store.js';
import { pushConfigKey } from './push-rows.js';

async function open(): Promise<Stores> {
  const database = new InMemoryDatabase();
  return {
    tasks: new InMemoryTaskStore(database),
    turns: new InMemoryTurnStore(database),
    reconcile: new InMemoryReconcileStore(database),
    registry: new InMemoryAgentRegistry(database, { heartbeatMs: HEARTBEAT_MS }),
    apiKeys: new InMemoryApiKeyStore(database),
    memory: new InMemoryAgentMemoryStore(database),
    audit: new InMemoryAuditLog(database),
    erasure: new InMemoryErasureStore(database),
    pushConfigs: new InMemoryPushConfigStore(database),
    pushes: new InMemoryPushDeliveryStore(database),
    pushLedger: new InMemoryPushLedger(database),
    notificationKeys: new InMemoryNotificationKeyStore(database),
    async addPushConfig({ secrets, scheme, ...config }) {
      const { taskId, id, receiver } = config;
      const now = database.now();
      database.pushConfigs.set(pushConfigKey(taskId, id), {
        ...config,
        ...(scheme === undefined ? {} : { scheme }),
        ...(secrets === undefined ? {} : { secrets }),
        ...{ url: `${receiver}/hook`, createdAt: now, finished: false, dueAt: now, failures: 0, epoch: 0 },
      });
      const task = database.tasks.get(taskId);
      if (task) task.pushes = true;
    },
    async expireLeases() {
      for (const row of database.pushConfigs.values()) if (row.lease) row.lease.expiresAt = database.now() - 1;
      for (const row of database.tasks.values()) if (row.lease) row.lease.expiresAt = database.now() - 1;
    },
    async expireKeys() {
      for (const [name, key] of database.keys) database.keys.set(name, { ...key, expiresAt: database.now() - 1 });
    },
    async ageWorkers(milliseconds) {
      for (const worker of database.workers.values()) worker.seenAt -= milliseconds;
    },
    async ageMemories(milliseconds) {
      database.memories = database.memories.map((memory) => ({ ...memory, updatedAt: memory.updatedAt - milliseconds }));
    },
    close: async () => undefined,
  };
}

taskStoreContract('in memory', open);
taskListContract('in memory', open);
turnStoreContract('in memory', open);
reconcileStoreContract('in memory', open);
agentRegistryContract('in memory', open);
agentMemoryStoreContract('in memory', open);
apiKeyStoreContract('in memory', open);
auditLogContract('in memory', open);
erasureStoreContract('in memory', open);
pushConfigStoreContract('in memory', open);
pushDeliveryStoreContract('in memory', open);
pushLedgerContract('in memory', open);
notificationKeyStoreContract('in memory', open);
