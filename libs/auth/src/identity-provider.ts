import { parseUrl } from '#protocol';
import { createRemoteJWKSet, type JWTVerifyGetKey } from 'jose';

export interface IdentityProviderOptions {
  /** As tokens name it in `iss`. */
  readonly issuer: string;
  /** Where its keys are; without it, where its discovery document says. */
  readonly jwksUrl?: string;
}

const TIMEOUT_MS = 5000;
/** A key that is withdrawn is believed no longer than this. */
const KEYS_MAX_AGE_MS = 600_000;
/** Tokens that name unknown keys make nobody ask more often than this. */
const COOLDOWN_MS = 30_000;
/** After a discovery that failed, nobody tries again sooner. */
const RETRY_MS = 3000;
const MOST_DISCOVERY_CHARACTERS = 100_000;

/** Where OpenID Connect Discovery 1.0 has the document of an issuer. */
export const discoveryUrlOf = (issuer: string): string => `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;

/** The keys of an identity provider, fetched when they are needed first, and again when a token names one that is not known. */
export class IdentityProvider {
  #keys: Promise<JWTVerifyGetKey> | undefined;
  #failedAt = -Infinity;
  #failure: unknown;

  constructor(private readonly options: IdentityProviderOptions) {}

  /** Finds the key of a token, for `jwtVerify`. Rejects while it is not known where the keys are. */
  get keys(): Promise<JWTVerifyGetKey> {
    if (this.#keys) return this.#keys;
    if (performance.now() - this.#failedAt < RETRY_MS) return Promise.reject(this.#failure);
    this.#keys = this.#find();
    this.#keys.catch((error: unknown) => {
      this.#keys = undefined;
      this.#failedAt = performance.now();
      this.#failure = error;
    });
    return this.#keys;
  }

  async #find(): Promise<JWTVerifyGetKey> {
    const url = this.options.jwksUrl ?? (await this.#discover());
    return createRemoteJWKSet(new URL(url), {
      timeoutDuration: TIMEOUT_MS,
      cacheMaxAge: KEYS_MAX_AGE_MS,
      cooldownDuration: COOLDOWN_MS,
    });
  }

  /** The document has to be the issuer's own (section 4.3), and its keys as safe on their way as it is. */
  async #discover(): Promise<string> {
    const { issuer } = this.options;
    const response = await fetch(discoveryUrlOf(issuer), { redirect: 'error', signal: AbortSignal.timeout(TIMEOUT_MS) });
    const text = await response.text();
    if (response.status !== 200 || text.length > MOST_DISCOVERY_CHARACTERS) {
      throw new Error(`the discovery document of ${issuer} cannot be read (status ${response.status})`);
    }
    const { issuer: named, jwks_uri: jwksUrl } = JSON.parse(text) as { issuer?: unknown; jwks_uri?: unknown };
    if (named !== issuer) throw new Error(`the discovery document of ${issuer} is that of ${String(named)}`);
    if (typeof jwksUrl !== 'string' || parseUrl(jwksUrl)?.protocol !== new URL(issuer).protocol) {
      throw new Error(`the discovery document of ${issuer} names no jwks_uri of its own protocol`);
    }
    return jwksUrl;
  }
}
