import { ConfigError, loadLaunchConfig, migrationsDirectory, runningPostgresUrl } from '#platform';
import { Pools, requireMigrated } from '#postgres';

/**
 * Runs `use` with the database of this installation: the one that DATABASE_URL names, or that of a running `npm start`.
 * `patienceMs` is how long a statement may take, the configured time unless given.
 * @throws ConfigError, PendingMigrationError, NewerDatabaseError, StoreUnavailableError
 */
export async function withDatabase<T>(use: (pools: Pools) => Promise<T>, patienceMs?: number): Promise<T> {
  const { databaseUrl, dataDir, statementTimeoutMs } = loadLaunchConfig();
  const connectionString = databaseUrl ?? runningPostgresUrl(dataDir);
  if (connectionString === undefined) {
    throw new ConfigError(`DATABASE_URL is not set, and no "npm start" runs on ${dataDir}: start it, or set DATABASE_URL`);
  }
  const pools = new Pools({
    connectionString,
    size: 1,
    listSize: 1,
    statementTimeoutMs: patienceMs ?? statementTimeoutMs,
    applicationName: 'chorus',
    onError: () => undefined,
  });
  try {
    await requireMigrated(pools.lists, migrationsDirectory);
    return await use(pools);
  } finally {
    await pools.close();
  }
}
