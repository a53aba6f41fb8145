import type { ApiKeyStore } from '#core';
import { PostgresApiKeyStore } from '#postgres';
import { audited, type Change } from '../audit/audited.js';
import { withDatabase } from '../with-database.js';

/** Runs `use` with the API keys of this installation. @throws as `withDatabase` */
export const withApiKeys = <T>(use: (keys: ApiKeyStore) => Promise<T>): Promise<T> =>
  withDatabase((pools) => use(new PostgresApiKeyStore(pools)));

/** The same for what changes them; the audit log is told of it. @throws as `withDatabase`, and as `audited` */
export const changeApiKeys = <T>(change: Change, use: (keys: ApiKeyStore) => Promise<T>): Promise<T> =>
  withDatabase((pools) => audited(pools, change, () => use(new PostgresApiKeyStore(pools))));
