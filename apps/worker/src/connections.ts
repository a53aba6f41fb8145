import type {
  AgentMemoryStore,
  AgentRegistry,
  EventBus,
  Logger,
  NotificationKeyStore,
  PushDeliveryStore,
  ReconcileStore,
  TurnStore,
  WorkQueue,
} from '#core';
import { postgresWorkQueue, redisWorkQueue } from '#bullmq';
import type { Config } from '#platform';
import { migrationsDirectory } from '#platform';
import {
  NotifyEventBus,
  Pools,
  PostgresAgentMemoryStore,
  PostgresAgentRegistry,
  PostgresNotificationKeyStore,
  PostgresPushDeliveryStore,
  PostgresReconcileStore,
  PostgresTurnStore,
  requireMigrated,
} from '#postgres';
import { RedisEventBus } from '#redis';

/** A busy machine may take this long, however short the lease. */
const LEAST_ANSWER_MS = 2000;

type Settings = Pick<
  Config,
  | 'databaseUrl'
  | 'databasePoolSize'
  | 'databaseListPoolSize'
  | 'statementTimeoutMs'
  | 'leaseMs'
  | 'heartbeatMs'
  | 'redisUrl'
  | 'redisPrefix'
>;

/** Everything of a worker that holds a connection: the stores on Postgres, queue and bus on Redis or, without one, on Postgres. */
export class Connections {
  readonly turns: TurnStore;
  readonly reconcile: ReconcileStore;
  readonly registry: AgentRegistry;
  readonly memory: AgentMemoryStore;
  readonly pushes: PushDeliveryStore;
  readonly notificationKeys: NotificationKeyStore;
  readonly queue: WorkQueue;
  readonly bus: EventBus;
  readonly #pools: Pools;

  constructor(config: Settings, logger: Logger) {
    const { databaseUrl: connectionString, redisUrl: url, redisPrefix: prefix } = config;
    this.#pools = new Pools({
      connectionString,
      size: config.databasePoolSize,
      listSize: config.databaseListPoolSize,
      statementTimeoutMs: config.statementTimeoutMs,
      answerMs: Math.max(config.leaseMs / 3, LEAST_ANSWER_MS),
      applicationName: 'chorus-worker',
      onError: (err) => logger.warn('An idle connection to Postgres was lost', { err }),
    });
    this.turns = new PostgresTurnStore(this.#pools);
    this.reconcile = new PostgresReconcileStore(this.#pools);
    this.registry = new PostgresAgentRegistry(this.#pools, config);
    this.memory = new PostgresAgentMemoryStore(this.#pools);
    this.pushes = new PostgresPushDeliveryStore(this.#pools);
    this.notificationKeys = new PostgresNotificationKeyStore(this.#pools);
    this.queue = url === undefined ? postgresWorkQueue({ connectionString, logger }) : redisWorkQueue({ url, prefix, logger });
    this.bus =
      url === undefined
        ? new NotifyEventBus({ connectionString, logger, applicationName: 'chorus-worker' })
        : new RedisEventBus({ url, prefix, logger, connectionName: 'chorus-worker' });
  }

  /**
   * Throws NewerDatabaseError, PendingMigrationError or BrokenMigrationError when code and database do not fit, StoreUnavailableError when
   * the database cannot be reached: at boot that is a wrong address more often than an outage.
   */
  async check(): Promise<void> {
    await requireMigrated(this.#pools.lists, migrationsDirectory);
  }

  async close(): Promise<void> {
    await Promise.allSettled([this.queue.close(), this.bus.close()]);
    await this.#pools.close();
  }
}
