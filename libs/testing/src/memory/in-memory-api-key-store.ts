import { ApiKeyExistsError, ApiKeyStore, type ApiKey, type StoredApiKey } from '#core';
import type { InMemoryDatabase } from './in-memory-database.js';

/** API keys of an `InMemoryDatabase`. */
export class InMemoryApiKeyStore extends ApiKeyStore {
  constructor(private readonly database: InMemoryDatabase) {
    super();
  }

  override add(key: StoredApiKey): Promise<void> {
    return this.database.call('addApiKey', () => {
      const { revokedAt, expiresAt } = this.database.apiKeys.get(key.id) ?? { revokedAt: 0 };
      const hasEnded = revokedAt !== undefined || (expiresAt !== undefined && expiresAt <= key.createdAt);
      if (!hasEnded) throw new ApiKeyExistsError(key.id);
      this.database.apiKeys.set(key.id, structuredClone(key));
    });
  }

  override find(id: string): Promise<StoredApiKey | undefined> {
    return this.database.call('findApiKey', () => structuredClone(this.database.apiKeys.get(id)));
  }

  override list(): Promise<readonly ApiKey[]> {
    return this.database.call('listApiKeys', () =>
      [...this.database.apiKeys.values()]
        .map(({ secretHash: _secret, ...key }): ApiKey => structuredClone(key))
        .sort((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? -1 : 1)),
    );
  }

  override revoke(id: string, at: number): Promise<boolean> {
    return this.database.call('revokeApiKey', () => {
      const key = this.database.apiKeys.get(id);
      if (key) this.database.apiKeys.set(id, { revokedAt: at, ...key });
      return key !== undefined;
    });
  }
}
