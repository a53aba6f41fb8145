import { createTestDatabase, sharedPlacesContract } from '#testing';
import { Pools } from './pools.js';
import { PostgresSharedPlaces } from './postgres-shared-places.js';

sharedPlacesContract('Postgres', async () => {
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
    open: () => new PostgresSharedPlaces(pools),
    async close() {
      await pools.close();
      await database.drop();
    },
  };
});
