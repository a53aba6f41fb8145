import {
  AgentRegistry,
  type ApiKeyStore,
  type AuditLog,
  type ErasureStore,
  type EventBus,
  FallbackRateLimiter,
  type RateLimiter,
  type Logger,
  type NotificationKeyStore,
  type PushConfigStore,
  type PushLedger,
  type SharedPlaces,
  type TaskStore,
  type WorkQueue,
} from '#core';
import { postgresWorkQueue, redisWorkQueue } from '#bullmq';
import { migrationsDirectory, type Config } from '#platform';
import {
  migrationStatus,
  NotifyEventBus,
  pageTokenKey,
  Pools,
  requireMigrated,
  PostgresAgentRegistry,
  PostgresApiKeyStore,
  PostgresAuditLog,
  PostgresErasureStore,
  PostgresNotificationKeyStore,
  PostgresPushConfigStore,
  PostgresPushLedger,
  PostgresRateLimiter,
  PostgresSharedPlaces,
  PostgresTaskStore,
} from '#postgres';
import { RedisEventBus, RedisRateLimiter, RedisSharedPlaces } from '#redis';
import { CheckFailure, type Check } from './readiness.js';

const APPLICATION = 'chorus-api';
/** Whoever deletes data may have to look at every task of a tenant. */
const PATIENCE_MS = 600_000;

/** Everything of an API process that holds a connection: the stores on Postgres, queue and bus on Redis or, without one, on Postgres. */
export class Connections {
  readonly store: TaskStore;
  readonly registry: AgentRegistry;
  readonly apiKeys: ApiKeyStore;
  readonly audit: AuditLog;
  readonly erasure: ErasureStore;
  readonly pushConfigs: PushConfigStore;
  readonly pushLedger: PushLedger;
  readonly notificationKeys: NotificationKeyStore;
  readonly queue: WorkQueue;
  readonly bus: EventBus;
  readonly rateLimiter: RateLimiter;
  /** Where streams are counted, when they are limited. */
  readonly places: SharedPlaces | undefined;
  readonly #pools: Pools;
  /** Connects when it is needed. */
  readonly #patientPools: Pools;

  constructor(
    private readonly config: Config,
    logger: Logger,
  ) {
    const { databaseUrl: connectionString, redisUrl: url, redisPrefix: prefix } = config;
    const common = {
      connectionString,
      applicationName: APPLICATION,
      onError: (err: Error) => logger.warn('An idle connection to Postgres was lost', { err }),
    };
    this.#pools = new Pools({
      ...common,
      size: config.databasePoolSize,
      listSize: config.databaseListPoolSize,
      statementTimeoutMs: config.statementTimeoutMs,
    });
    this.#patientPools = new Pools({ ...common, size: 1, listSize: 1, statementTimeoutMs: PATIENCE_MS });
    this.store = new PostgresTaskStore(this.#pools);
    this.registry = new PostgresAgentRegistry(this.#pools, config);
    this.apiKeys = new PostgresApiKeyStore(this.#pools);
    this.audit = new PostgresAuditLog(this.#pools);
    this.erasure = new PostgresErasureStore(this.#patientPools);
    this.pushConfigs = new PostgresPushConfigStore(this.#pools);
    this.pushLedger = new PostgresPushLedger(this.#pools);
    this.notificationKeys = new PostgresNotificationKeyStore(this.#pools);
    this.queue = url === undefined ? postgresWorkQueue({ connectionString, logger }) : redisWorkQueue({ url, prefix, logger });
    this.bus =
      url === undefined
        ? new NotifyEventBus({ connectionString, logger, applicationName: APPLICATION })
        : new RedisEventBus({ url, prefix, logger, connectionName: APPLICATION });
    const counter =
      url === undefined
        ? new PostgresRateLimiter(this.#pools)
        : new RedisRateLimiter({ url, prefix, logger, connectionName: APPLICATION });
    this.rateLimiter = new FallbackRateLimiter(counter, logger);
    if (config.principalStreamLimit !== undefined || config.tenantStreamLimit !== undefined) {
      this.places =
        url === undefined
          ? new PostgresSharedPlaces(this.#pools)
          : new RedisSharedPlaces({ url, prefix, logger, connectionName: APPLICATION });
    }
  }

  /** The key of page tokens. Rejects with NewerDatabaseError or PendingMigrationError when code and database do not fit. */
  async pageTokenKey(): Promise<Buffer> {
    await requireMigrated(this.#pools.lists, migrationsDirectory);
    return pageTokenKey(this.#pools);
  }

  /** What `/readyz` asks. */
  checks(): Readonly<Record<string, Check>> {
    return {
      postgres: async () => void (await this.#pools.hot.query('select 1')),
      migrations: async () => {
        const { pending, unknown } = await migrationStatus(this.#pools.lists, migrationsDirectory);
        if (pending.length > 0) throw new CheckFailure(`pending: ${pending.join(', ')}`);
        if (unknown.length > 0) throw new CheckFailure(`unknown: ${unknown.join(', ')}`);
      },
      ...(this.config.redisUrl === undefined ? {} : { redis: () => this.#redis() }),
    };
  }

  async close(): Promise<void> {
    await Promise.allSettled([this.queue.close(), this.bus.close(), this.rateLimiter.close(), this.places?.close()]);
    await Promise.all([this.#pools.close(), this.#patientPools.close()]);
  }

  async #redis(): Promise<void> {
    const [queue, bus] = await Promise.all([this.queue.healthy(), this.bus.healthy()]);
    if (!queue || !bus) throw new CheckFailure('not reachable');
  }
}
