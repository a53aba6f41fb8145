import { ApiKeyExistsError, ApiKeyStore, type ApiKey, type StoredApiKey } from '#core';
import type { Scope } from '#protocol';
import { run, type Pools } from './pools.js';
import { ADD_API_KEY, FIND_API_KEY, LIST_API_KEYS, REVOKE_API_KEY } from './queries/api-keys.js';

interface ApiKeyRow {
  readonly id: string;
  readonly tenant: string;
  readonly principal: string;
  readonly scopes: readonly Scope[];
  readonly agents: readonly string[];
  readonly created_at: number;
  readonly expires_at: number | null;
  readonly revoked_at: number | null;
}

/** Stands for all agents, and for every tenant; none can be called so. A list that is empty by mistake permits nothing. */
const ALL = '*';

/** API keys in Postgres. */
export class PostgresApiKeyStore extends ApiKeyStore {
  constructor(private readonly pools: Pick<Pools, 'lists'>) {
    super();
  }

  override async add({ id, secretHash, tenant, principal, scopes, agents, createdAt, expiresAt }: StoredApiKey): Promise<void> {
    const values = [id, Buffer.from(secretHash), tenant ?? ALL, principal, scopes, agents ?? [ALL], createdAt, expiresAt ?? null];
    if ((await run(this.pools.lists, ADD_API_KEY, values)).length === 0) throw new ApiKeyExistsError(id);
  }

  override async find(id: string): Promise<StoredApiKey | undefined> {
    const [row] = await run<ApiKeyRow & { readonly secret_hash: Buffer }>(this.pools.lists, FIND_API_KEY, [id]);
    return row && { ...keyOf(row), secretHash: row.secret_hash };
  }

  override async list(): Promise<readonly ApiKey[]> {
    return (await run<ApiKeyRow>(this.pools.lists, LIST_API_KEYS, [])).map(keyOf);
  }

  override async revoke(id: string, at: number): Promise<boolean> {
    return (await run(this.pools.lists, REVOKE_API_KEY, [id, at])).length > 0;
  }
}

const keyOf = ({ id, tenant, principal, scopes, agents, created_at, expires_at, revoked_at }: ApiKeyRow): ApiKey => ({
  id,
  ...(tenant === ALL ? {} : { tenant }),
  principal,
  scopes,
  ...(agents.includes(ALL) ? {} : { agents }),
  createdAt: created_at,
  ...(expires_at === null ? {} : { expiresAt: expires_at }),
  ...(revoked_at === null ? {} : { revokedAt: revoked_at }),
});
