import { ANYONE, type Caller } from '#core';
import { UnauthenticatedError } from '#protocol';
import { auditAdmission } from './audit.js';
import { networkOf } from './client-address.js';
import type { Host } from './host.js';
import { headerOf, type CallRequest, type HttpHeaders } from './http.js';
import { withResourceMetadata } from './protected-resource.js';
import { NO_HEADERS } from './response-headers.js';

/** A request that may be read, and what its answer tells of the caller's limits. */
export interface Admission {
  readonly caller: Caller;
  readonly headers: HttpHeaders;
}

type Gate = Pick<Host, 'authentication' | 'callerLimits' | 'failedCredentials' | 'audit'>;

/**
 * Finds out who sent a request, before anything of it is read, and counts it. Rejects with UnauthenticatedError; with RateLimitedError when
 * the caller has used up its limit, or its address has tried too many credentials; with StoreUnavailableError when nobody can say now.
 */
export async function admit(host: Gate, request: CallRequest): Promise<Admission> {
  let caller: Caller | undefined;
  try {
    caller = await callerOf(host, request);
    return { caller, headers: host.callerLimits === undefined ? NO_HEADERS : await host.callerLimits.admit(caller) };
  } catch (error) {
    auditAdmission(host.audit, request, error, caller);
    throw error instanceof UnauthenticatedError ? withResourceMetadata(host, request, error) : error;
  }
}

async function callerOf({ authentication, failedCredentials }: Gate, request: CallRequest): Promise<Caller> {
  if (authentication === undefined) return ANYONE;
  const { headers, clientAddress } = request;
  const credential = headerOf(headers, 'authorization') ?? headerOf(headers, 'x-api-key');
  // Who shows none guesses nothing.
  if (failedCredentials === undefined || clientAddress === undefined || credential === undefined) {
    return authentication.authenticate(request);
  }
  const network = networkOf(clientAddress);
  failedCredentials.requirePatience(network, credential);
  try {
    const caller = await authentication.authenticate(request);
    failedCredentials.succeeded(credential);
    return caller;
  } catch (error) {
    if (error instanceof UnauthenticatedError) await failedCredentials.failed(network, credential);
    throw error;
  }
}
