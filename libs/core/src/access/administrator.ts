import { PermissionDeniedError, InvalidParamsError, isName } from '#protocol';
import type { Caller } from './caller.js';

/** Throws PermissionDeniedError unless the caller's credential is one for administration. */
export function permitAdministration({ scopes }: Caller): void {
  if (!scopes.has('admin')) throw new PermissionDeniedError('This needs a credential with the scope admin', 'admin');
}

/**
 * Whose data an administrator means: the tenant of the credential, or, when that is for every tenant, the one that is named
 * (`""` is the one without a name). Throws PermissionDeniedError for another tenant than the credential's, and InvalidParamsError when
 * nobody said which: no tenant is meant by leaving it out.
 */
export function tenantMeant({ tenant }: Caller, named: string | undefined): string {
  if (named !== undefined && named !== '' && !isName(named)) {
    throw new InvalidParamsError([{ field: 'tenant', description: 'cannot be the name of a tenant' }]);
  }
  if (tenant === undefined && named === undefined) {
    const description = 'must be named: the credential is for every tenant ("" is the one without a name)';
    throw new InvalidParamsError([{ field: 'tenant', description }]);
  }
  if (tenant === undefined) return named as string;
  if (named !== undefined && named !== tenant) {
    throw new PermissionDeniedError(`The credential does not permit the tenant ${named === '' ? 'without a name' : named}`);
  }
  return tenant;
}

/** Throws PermissionDeniedError when the credential is for some agents, and `agentId` is none of them or undefined, which means all. */
export function permitAgent({ agents }: Caller, agentId: string | undefined): void {
  if (agents === undefined || (agentId !== undefined && agents.has(agentId))) return;
  throw new PermissionDeniedError(
    agentId === undefined
      ? 'The credential is for some agents: name one of them'
      : `The credential does not permit the agent ${agentId}`,
  );
}
