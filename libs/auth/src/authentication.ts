import type { Caller } from '#core';
import type { SecurityScheme } from '#protocol';
import { missing, type Credential, type Shown } from './credential.js';

/** Who sent a request, by the first kind of credential that it has. Nobody is let in without one. */
export class Authentication {
  readonly schemes: Readonly<Record<string, SecurityScheme>>;
  readonly authorizationServers: readonly string[];

  constructor(private readonly kinds: readonly Credential[]) {
    this.schemes = Object.assign({}, ...kinds.map(({ schemes }) => schemes)) as Record<string, SecurityScheme>;
    this.authorizationServers = kinds.flatMap(({ authorizationServers = [] }) => authorizationServers);
  }

  /** Rejects with UnauthenticatedError, or with StoreUnavailableError when a credential cannot be checked now. */
  async authenticate(shown: Shown): Promise<Caller> {
    for (const kind of this.kinds) {
      const caller = kind.callerOf(shown);
      if (caller !== undefined) return caller;
    }
    throw missing(this.kinds[0]?.challenge);
  }
}
