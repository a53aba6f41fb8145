import { SCOPES, type Scope } from '#protocol';
import { ANONYMOUS, type Principal } from '../call-context.js';

/** Who sent a request, and what its credential permits. */
export interface Caller {
  readonly principal: Principal;
  /** The id of the credential, which is no secret; undefined when it has none. */
  readonly credentialId?: string;
  /** The tenant of the credential, the only one that it can be used for; undefined: the request may name any. */
  readonly tenant: string | undefined;
  readonly scopes: ReadonlySet<Scope>;
  /** Ids of the agents that it can be used with; undefined: all. */
  readonly agents: ReadonlySet<string> | undefined;
}

/** Whoever can reach a host that runs without authentication. */
export const ANYONE: Caller = Object.freeze({
  principal: ANONYMOUS,
  tenant: undefined,
  scopes: new Set(SCOPES),
  agents: undefined,
});
