import type { ApiKeyStore, Caller, StoredApiKey } from '#core';
import type { SecurityScheme } from '#protocol';
import type { IncomingHttpHeaders } from 'node:http';
import { isSecretOf, parseApiKey } from './api-key.js';
import { bearerToken, refused, scopesFor, type Credential } from './credential.js';

export const API_KEY_HEADER = 'X-API-Key';

const SCHEMES: Readonly<Record<string, SecurityScheme>> = Object.freeze({
  apiKey: { apiKeySecurityScheme: { description: 'An API key of this host', location: 'header', name: API_KEY_HEADER } },
  bearer: { httpAuthSecurityScheme: { description: 'The same key as a bearer token', scheme: 'Bearer' } },
});

/** How long what the store said of a key is believed: a revoked one works no longer than this. */
export const KEY_TTL_MS = 5000;
/** Ids come from whoever makes them up: they must not fill the memory. */
const MOST_KNOWN = 10_000;

interface Known {
  readonly readAt: number;
  readonly key: Promise<StoredApiKey | undefined>;
}

/** API keys of this host, in `X-API-Key` or as a bearer token. */
export class ApiKeys implements Credential {
  readonly schemes = SCHEMES;
  readonly #known = new Map<string, Known>();

  constructor(
    private readonly store: Pick<ApiKeyStore, 'find'>,
    private readonly now: () => number = Date.now,
  ) {}

  callerOf(headers: IncomingHttpHeaders): Promise<Caller> | undefined {
    const named = headers['x-api-key'];
    if (typeof named === 'string' && named !== '') return this.#callerOf(named.trim());
    const token = bearerToken(headers);
    return token?.startsWith('chorus_') ? this.#callerOf(token) : undefined;
  }

  async #callerOf(text: string): Promise<Caller> {
    const parsed = parseApiKey(text);
    const key = parsed && (await this.#find(parsed.id));
    if (!parsed || !key || !isSecretOf(parsed.secret, key.secretHash)) throw refused('The API key is not valid');
    // Whoever has the secret may know more.
    if (key.revokedAt !== undefined) throw refused(`The API key ${key.id} was revoked`);
    if (key.expiresAt !== undefined && key.expiresAt <= this.now()) throw refused(`The API key ${key.id} has expired`);
    return {
      principal: { id: key.principal },
      tenant: key.tenant,
      scopes: scopesFor(key.tenant, key.scopes),
      agents: key.agents && new Set(key.agents),
    };
  }

  #find(id: string): Promise<StoredApiKey | undefined> {
    const known = this.#known.get(id);
    if (known !== undefined && this.now() - known.readAt < KEY_TTL_MS) return known.key;
    if (this.#known.size >= MOST_KNOWN) this.#known.delete(this.#known.keys().next().value as string);
    const found: Known = { readAt: this.now(), key: this.store.find(id) };
    this.#known.delete(id);
    this.#known.set(id, found);
    // What failed is asked again.
    found.key.catch(() => {
      if (this.#known.get(id) === found) this.#known.delete(id);
    });
    return found.key;
  }
}
