import type { AnnouncedAgent, CallContext, Caller } from '#core';
import { InvalidParamsError, PermissionDeniedError, idFault, isName, type Limits } from '#protocol';
import { headerOf, type CallRequest } from './http.js';

export interface CallOrigin {
  readonly request: CallRequest;
  readonly caller: Caller;
  /** The version that the client speaks. */
  readonly version: '1.0' | '0.3';
  /** The tenant in the path. */
  readonly tenant: string | undefined;
}

/**
 * For whom and for which agent an operation runs; `named` is the tenant in the request's message. Throws InvalidParamsError
 * when path and message do not agree, or a header cannot be what it is for, and PermissionDeniedError when they name a tenant
 * that the credential is not for.
 */
export function callContextOf(
  { request, caller, version, tenant }: CallOrigin,
  agent: AnnouncedAgent,
  extensions: readonly string[],
  named: string | undefined,
  limits: Limits,
): CallContext {
  const base = {
    ...{ tenant: tenantFor(caller, tenantOf(tenant, named)), principal: caller.principal, agentId: agent.id, extensions },
    ...(version === '0.3' ? { protocolVersion: version } : {}),
  };
  const idempotencyKey = headerOf(request.headers, 'idempotency-key');
  if (idempotencyKey === undefined || idempotencyKey === '') return base;
  const fault = idFault(idempotencyKey, limits);
  if (fault !== undefined) throw new InvalidParamsError([{ field: 'Idempotency-Key', description: fault }]);
  return { ...base, idempotencyKey };
}

/** The number of the last event that the client has seen. Throws InvalidParamsError. */
export function lastEventIdOf({ headers }: CallRequest): number | undefined {
  const text = headerOf(headers, 'last-event-id');
  if (text === undefined || text === '') return undefined;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new InvalidParamsError([{ field: 'Last-Event-ID', description: 'must be the id of an event of this task: a number' }]);
}

/** A credential has one tenant, and a request need not repeat it. */
function tenantFor({ tenant }: Caller, asked: string): string {
  if (tenant === undefined || asked === '' || asked === tenant) return tenant ?? asked;
  throw new PermissionDeniedError(`The credential does not permit the tenant ${asked}`);
}

/** The tenant that path and request agree on; `''` when neither names one. */
function tenantOf(inPath: string | undefined, named: string | undefined): string {
  if (named === undefined || named === '') return inPath ?? '';
  if (!isName(named))
    throw new InvalidParamsError([
      { field: 'tenant', description: 'must be 1 to 64 of A-Z a-z 0-9 . _ ~ - and not a reserved word' },
    ]);
  if (inPath === undefined || inPath === named) return named;
  throw new InvalidParamsError([{ field: 'tenant', description: `is ${named}, but the path names the tenant ${inPath}` }]);
}
