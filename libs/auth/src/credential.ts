import type { Caller } from '#core';
import { UnauthenticatedError, type Scope, type SecurityScheme } from '#protocol';
import type { IncomingHttpHeaders } from 'node:http';

/** What of a request can show who sent it. */
export interface Shown {
  readonly headers: IncomingHttpHeaders;
  /** The client's certificate, DER, if it has one whose chain was verified and whose key it has shown to hold. */
  readonly clientCertificate?: Uint8Array | undefined;
}

/** One way to show who one is. */
export interface Credential {
  /** As agent cards declare it: each of them alone is enough. */
  readonly schemes: Readonly<Record<string, SecurityScheme>>;
  /** Issuers of tokens that are accepted, when it is about tokens. */
  readonly authorizationServers?: readonly string[];
  /** How `WWW-Authenticate` names it; `Bearer` when absent. */
  readonly challenge?: string;
  /**
   * The caller whom this kind of credential names; undefined when the request has none of this kind.
   * Rejects with UnauthenticatedError for one that is not valid, with StoreUnavailableError when that cannot be found out.
   */
  callerOf(shown: Shown): Promise<Caller> | undefined;
}

const BEARER = /^bearer +(.+)$/i;

/** The token of `Authorization: Bearer` (RFC 6750). */
export const bearerToken = ({ authorization }: IncomingHttpHeaders): string | undefined =>
  authorization === undefined ? undefined : BEARER.exec(authorization)?.[1]?.trim();

/** For a request without any credential. */
export const missing = (challenge = 'Bearer'): UnauthenticatedError =>
  new UnauthenticatedError('This host needs a credential; its agent cards say which', `${challenge} realm="chorus"`);

/** For a credential that is not valid. `why` must tell nothing to whoever does not hold it. */
export const refused = (why: string): UnauthenticatedError =>
  new UnauthenticatedError(why, 'Bearer realm="chorus", error="invalid_token"');

/** A credential for every tenant (undefined) permits administration alone: the operations of A2A are for one tenant. */
export const scopesFor = (tenant: string | undefined, scopes: readonly Scope[]): ReadonlySet<Scope> =>
  new Set(tenant === undefined ? scopes.filter((scope) => scope === 'admin') : scopes);
