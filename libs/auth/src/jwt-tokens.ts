import type { Caller, Logger } from '#core';
import { isName, isScope, UnavailableError, type Scope, type SecurityScheme } from '#protocol';
import { createHash } from 'node:crypto';
import { errors, jwtVerify, type JWTPayload } from 'jose';
import { bearerToken, refused, scopesFor, type Credential, type Shown } from './credential.js';
import { oauth2Schemes, type OAuth2Endpoints } from './oauth2-schemes.js';
import { discoveryUrlOf, IdentityProvider, type IdentityProviderOptions } from './identity-provider.js';

export interface JwtTokensOptions extends IdentityProviderOptions {
  /** One of them has to be in `aud`. */
  readonly audience: readonly string[];
  /** No other signature is accepted. */
  readonly algorithms: readonly string[];
  /** How far the clocks of issuer and host may be apart, in milliseconds. */
  readonly clockSkewMs: number;
  /** The claim that holds the tenant. */
  readonly tenantClaim: string;
  /** Where clients get tokens, for agent cards to say. */
  readonly oauth2?: OAuth2Endpoints;
  readonly logger: Logger;
}

/** How long a token that was verified is believed without looking at its signature again. */
const VERIFIED_MS = 60_000;
const MOST_VERIFIED = 10_000;
const MOST_TOKEN_LENGTH = 16_384;
const MOST_SUBJECT_LENGTH = 256;
/** No tenant is called so. */
const EVERY_TENANT = '*';

interface Verified {
  readonly until: number;
  readonly caller: Caller;
}

/** JWTs of an identity provider as bearer tokens (RFC 7519, RFC 6750). */
export class JwtTokens implements Credential {
  readonly schemes: Readonly<Record<string, SecurityScheme>>;
  readonly authorizationServers: readonly string[];
  readonly #provider: IdentityProvider;
  readonly #verified = new Map<string, Verified>();

  constructor(
    private readonly options: JwtTokensOptions,
    private readonly now: () => number = Date.now,
  ) {
    this.#provider = new IdentityProvider(options);
    this.authorizationServers = [options.issuer];
    this.schemes = { ...bearerScheme(options), ...oauth2Schemes(options.oauth2 ?? {}, options.audience) };
  }

  callerOf({ headers }: Shown): Promise<Caller> | undefined {
    const token = bearerToken(headers);
    return token === undefined || token.startsWith('chorus_') ? undefined : this.#callerOf(token);
  }

  async #callerOf(token: string): Promise<Caller> {
    if (token.length > MOST_TOKEN_LENGTH) throw refused('The token is too long');
    const digest = createHash('sha256').update(token).digest('base64');
    const known = this.#verified.get(digest);
    if (known !== undefined && this.now() < known.until) return known.caller;
    const payload = await this.#verify(token);
    const caller = callerIn(payload, this.options.tenantClaim);
    const expiresAt = (payload.exp as number) * 1000 + this.options.clockSkewMs;
    if (this.#verified.size >= MOST_VERIFIED) this.#verified.delete(this.#verified.keys().next().value as string);
    this.#verified.set(digest, { until: Math.min(this.now() + VERIFIED_MS, expiresAt), caller });
    return caller;
  }

  async #verify(token: string): Promise<JWTPayload> {
    const { issuer, audience, algorithms, clockSkewMs, logger } = this.options;
    try {
      const { payload } = await jwtVerify(token, await this.#provider.keys, {
        issuer,
        audience: [...audience],
        algorithms: [...algorithms],
        clockTolerance: clockSkewMs / 1000,
        currentDate: new Date(this.now()),
        requiredClaims: ['exp', 'sub'],
      });
      return payload;
    } catch (error) {
      if (error instanceof errors.JWTExpired) throw refused('The token has expired');
      if (isFault(error)) throw refused('The token is not valid');
      logger.warn('The identity provider cannot be asked for its keys', { issuer, err: error });
      throw new UnavailableError('The identity provider cannot be reached; try again');
    }
  }
}

/** How a card says that tokens are accepted, wherever they come from. */
const bearerScheme = ({ issuer, jwksUrl }: JwtTokensOptions): Readonly<Record<string, SecurityScheme>> =>
  jwksUrl === undefined
    ? { oidc: { openIdConnectSecurityScheme: { openIdConnectUrl: discoveryUrlOf(issuer) } } }
    : { jwt: { httpAuthSecurityScheme: { description: `A token of ${issuer}`, scheme: 'Bearer', bearerFormat: 'JWT' } } };

/** Is it the token that is wrong, and not the way to the provider? */
const isFault = (error: unknown): boolean =>
  error instanceof errors.JOSEError &&
  !(error instanceof errors.JWKSTimeout) &&
  !(error instanceof errors.JWKSInvalid) &&
  error.code !== 'ERR_JOSE_GENERIC';

/** Throws UnauthenticatedError for claims that name nobody. */
function callerIn(payload: JWTPayload, tenantClaim: string): Caller {
  const { sub = '', jti, [tenantClaim]: claimed = '', agents } = payload;
  if (sub.trim() === '' || sub.length > MOST_SUBJECT_LENGTH) throw refused('The token names no subject');
  const tenant = claimed === EVERY_TENANT ? undefined : claimed;
  if (tenant !== undefined && tenant !== '' && !isTenant(tenant)) throw refused('The token names no tenant');
  if (agents !== undefined && !isTexts(agents)) throw refused('The claim agents of the token is no list of ids');
  return {
    principal: { id: sub },
    ...(typeof jti === 'string' ? { credentialId: jti } : {}),
    tenant,
    scopes: scopesFor(tenant, scopesIn(payload)),
    agents: agents && new Set(agents),
  };
}

/** `scope` (RFC 8693) or `scp`, a list or words with blanks between them; those of others are none of ours. */
function scopesIn({ scope, scp }: JWTPayload): readonly Scope[] {
  const words = [scope, scp].flatMap((claim) => (typeof claim === 'string' ? claim.split(' ') : isTexts(claim) ? claim : []));
  return words.filter(isScope);
}

const isTenant = (value: unknown): value is string => typeof value === 'string' && isName(value);

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((entry) => typeof entry === 'string');
