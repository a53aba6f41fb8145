import type { ApiKeyStore, Caller, StoredApiKey } from '#core';
import { scopesFor } from './credential.js';

/** How long what the store said of a key is believed: a revoked one works no longer than this. */
export const KEY_TTL_MS = 5000;
/** Ids come from whoever makes them up: they must not fill the memory. */
const MOST_KNOWN = 10_000;

interface Known {
  readonly readAt: number;
  readonly key: Promise<StoredApiKey | undefined>;
}

/** The keys of a store, each read once in `KEY_TTL_MS` however many requests show it. */
export class KnownKeys {
  readonly #known = new Map<string, Known>();

  constructor(
    private readonly store: Pick<ApiKeyStore, 'find'>,
    private readonly now: () => number,
  ) {}

  find(id: string): Promise<StoredApiKey | undefined> {
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

/** Why a key is refused now; undefined when it is good. */
export function endOf({ revokedAt, expiresAt }: StoredApiKey, now: number): 'was revoked' | 'has expired' | undefined {
  if (revokedAt !== undefined) return 'was revoked';
  return expiresAt !== undefined && expiresAt <= now ? 'has expired' : undefined;
}

export const callerOf = ({ id, principal, tenant, scopes, agents }: StoredApiKey): Caller => ({
  principal: { id: principal },
  credentialId: id,
  tenant,
  scopes: scopesFor(tenant, scopes),
  agents: agents && new Set(agents),
});
