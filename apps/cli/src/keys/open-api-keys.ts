import type { ApiKeyStore } from '#core';
import { ConfigError, loadLaunchConfig, migrationsDirectory, runningPostgresUrl } from '#platform';
import { Pools, PostgresApiKeyStore, requireMigrated } from '#postgres';

/**
 * Runs `use` with the API keys of this installation: of the database that DATABASE_URL names, or of what `npm start` runs.
 * @throws ConfigError, PendingMigrationError, NewerDatabaseError, StoreUnavailableError
 */
export async function withApiKeys<T>(use: (keys: ApiKeyStore) => Promise<T>): Promise<T> {
  const { databaseUrl, dataDir, statementTimeoutMs } = loadLaunchConfig();
  const connectionString = databaseUrl ?? runningPostgresUrl(dataDir);
  if (connectionString === undefined) {
    throw new ConfigError(`DATABASE_URL is not set, and no "npm start" runs on ${dataDir}: start it, or set DATABASE_URL`);
  }
  const pools = new Pools({
    connectionString,
    size: 1,
    listSize: 1,
    statementTimeoutMs,
    applicationName: 'chorus keys',
    onError: () => undefined,
  });
  try {
    await requireMigrated(pools.lists, migrationsDirectory);
    return await use(new PostgresApiKeyStore(pools));
  } finally {
    await pools.close();
  }
}
