import type { ApiKeyStore } from '#core';
import { PostgresApiKeyStore } from '#postgres';
import { withDatabase } from '../with-database.js';

/** Runs `use` with the API keys of this installation. @throws as `withDatabase` */
export const withApiKeys = <T>(use: (keys: ApiKeyStore) => Promise<T>): Promise<T> =>
  withDatabase((pools) => use(new PostgresApiKeyStore(pools)));
