import { PostgresApiKeyStore } from '#postgres';
import { audited, OWN_OPERATIONS } from '../audit/audited.js';
import { withDatabase } from '../with-database.js';

/** Has the key refused from here on; false when there is none. @throws as `withDatabase`, and as `audited` */
export const revokeKey = (id: string): Promise<boolean> =>
  withDatabase(async (pools) => {
    const keys = new PostgresApiKeyStore(pools);
    const key = await keys.find(id);
    // What was typed may be a whole key, which is to stand nowhere.
    if (!key) return false;
    const subject = `key ${key.id} of principal ${key.principal}`;
    const change = { operation: OWN_OPERATIONS.revokeKey, subject, ...(key.tenant === undefined ? {} : { tenant: key.tenant }) };
    return audited(pools, change, () => keys.revoke(id, Date.now()));
  });
