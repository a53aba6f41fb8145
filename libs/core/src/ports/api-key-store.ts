import type { Scope } from '#protocol';

/** What a key is good for. Times are milliseconds since the epoch. */
export interface ApiKey {
  /** Stands in the key itself, so that one can be recognised in a list or a log. */
  readonly id: string;
  /** Undefined: every tenant. Such a key is for administration, and for nothing else. */
  readonly tenant?: string;
  readonly principal: string;
  readonly scopes: readonly Scope[];
  /** Undefined: all agents. */
  readonly agents?: readonly string[];
  readonly createdAt: number;
  readonly expiresAt?: number;
  readonly revokedAt?: number;
}

export interface StoredApiKey extends ApiKey {
  /** SHA-256 of the secret, which has 256 random bits: there is nothing to guess, and no need to make guessing slow. */
  readonly secretHash: Uint8Array;
}

export class ApiKeyExistsError extends Error {
  override readonly name = 'ApiKeyExistsError';
  constructor(id: string) {
    super(`There is a key ${id} already`);
  }
}

/** The API keys of this installation. Every method rejects with StoreUnavailableError when the database cannot be reached. */
export abstract class ApiKeyStore {
  /** One of this id that has expired or was revoked gives it its place. Rejects with ApiKeyExistsError for one that can be used. */
  abstract add(key: StoredApiKey): Promise<void>;
  /** Also one that is expired or revoked. */
  abstract find(id: string): Promise<StoredApiKey | undefined>;
  /** All keys, the newest first. */
  abstract list(): Promise<readonly ApiKey[]>;
  /** From here on the key is refused. False when there is none with this id; a second time is fine, and keeps the first time. */
  abstract revoke(id: string, at: number): Promise<boolean>;
}
