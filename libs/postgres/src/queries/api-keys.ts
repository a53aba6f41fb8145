import type { Statement } from '../pools.js';

const millis = (column: string): string => `floor(extract(epoch from ${column}) * 1000)::bigint as ${column}`;
const COLUMNS = `id, tenant, principal, scopes, agents, ${['created_at', 'expires_at', 'revoked_at'].map(millis).join(', ')}`;
const time = (parameter: string): string => `to_timestamp(${parameter}::double precision / 1000)`;

/**
 * No row when there is a key of this id that can be used. One that has ended gives its place to the new one.
 * $1 id, $2 hash of the secret, $3 tenant, $4 principal, $5 scopes, $6 agents, $7 now, $8 expiry or null
 */
export const ADD_API_KEY: Statement = {
  name: 'add_api_key',
  text: `
insert into api_key as k (id, secret_hash, tenant, principal, scopes, agents, created_at, expires_at)
values ($1, $2, $3, $4, $5, $6, ${time('$7')}, ${time('$8')})
on conflict (id) do update set secret_hash = excluded.secret_hash, tenant = excluded.tenant, principal = excluded.principal,
  scopes = excluded.scopes, agents = excluded.agents, created_at = excluded.created_at, expires_at = excluded.expires_at,
  revoked_at = null
  where k.revoked_at is not null or k.expires_at <= excluded.created_at
returning id`,
};

/** $1 id */
export const FIND_API_KEY: Statement = {
  name: 'find_api_key',
  text: `select ${COLUMNS}, secret_hash from api_key where id = $1`,
};

export const LIST_API_KEYS: Statement = {
  name: 'list_api_keys',
  text: `select ${COLUMNS} from api_key k order by k.created_at desc, id`,
};

/** No row when there is no such key. $1 id, $2 now */
export const REVOKE_API_KEY: Statement = {
  name: 'revoke_api_key',
  text: `update api_key set revoked_at = coalesce(revoked_at, ${time('$2')}) where id = $1 returning id`,
};
