import { createTestDatabase, rateLimiterContract } from '#testing';
import { Pools } from './pools.js';
import { PostgresRateLimiter } from './postgres-rate-limiter.js';

rateLimiterContract('Postgres', async () => {
  const database = await createTestDatabase();
  const pools = new Pools({
    connectionString: database.url,
    size: 8,
    listSize: 1,
    statementTimeoutMs: 10_000,
    applicationName: 'spec',
    onError: () => undefined,
  });
  return {
    open: () => new PostgresRateLimiter(pools),
    async close() {
      await pools.close();
      await database.drop();
    },
  };
});
