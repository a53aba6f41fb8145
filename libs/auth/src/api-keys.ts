import type { ApiKeyStore, Caller } from '#core';
import type { SecurityScheme } from '#protocol';
import { isSecretOf, parseApiKey } from './api-key.js';
import { bearerToken, refused, type Credential, type Shown } from './credential.js';
import { callerOf, endOf, KnownKeys } from './known-keys.js';

export const API_KEY_HEADER = 'X-API-Key';

const SCHEMES: Readonly<Record<string, SecurityScheme>> = Object.freeze({
  apiKey: { apiKeySecurityScheme: { description: 'An API key of this host', location: 'header', name: API_KEY_HEADER } },
  bearer: { httpAuthSecurityScheme: { description: 'The same key as a bearer token', scheme: 'Bearer' } },
});

/** API keys of this host, in `X-API-Key` or as a bearer token. */
export class ApiKeys implements Credential {
  readonly schemes = SCHEMES;
  readonly #keys: KnownKeys;

  constructor(
    store: Pick<ApiKeyStore, 'find'>,
    private readonly now: () => number = Date.now,
  ) {
    this.#keys = new KnownKeys(store, now);
  }

  callerOf({ headers }: Shown): Promise<Caller> | undefined {
    const named = headers['x-api-key'];
    if (typeof named === 'string' && named !== '') return this.#callerOf(named.trim());
    const token = bearerToken(headers);
    return token?.startsWith('chorus_') ? this.#callerOf(token) : undefined;
  }

  async #callerOf(text: string): Promise<Caller> {
    const parsed = parseApiKey(text);
    const key = parsed && (await this.#keys.find(parsed.id));
    if (!parsed || !key || !isSecretOf(parsed.secret, key.secretHash)) throw refused('The API key is not valid');
    // Whoever has the secret may know more.
    const end = endOf(key, this.now());
    if (end !== undefined) throw refused(`The API key ${key.id} ${end}`);
    return callerOf(key);
  }
}
