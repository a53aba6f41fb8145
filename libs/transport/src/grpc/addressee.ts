import { InvalidParamsError, isName } from '#protocol';

/** Whom a request is for, and what is left of it once that is known. */
export interface Addressed {
  /** Absent for the default agent. */
  readonly agentId: string | undefined;
  readonly tenant: string | undefined;
  readonly input: Readonly<Record<string, unknown>>;
}

/**
 * gRPC has no path, so `tenant` says which agent: `<agentId>` or `<agentId>/<tenant>`, as the agent's card has it for clients to
 * repeat. Throws InvalidParamsError for what is neither.
 */
export function addressed(request: unknown): Addressed {
  const { tenant: address, ...input } = request as { tenant?: string };
  if (address === undefined) return { agentId: undefined, tenant: undefined, input };
  const [agentId = '', tenant, ...more] = address.split('/');
  if (more.length > 0 || ![agentId, tenant ?? agentId].every(isName)) {
    const description = 'must be the id of an agent, or that, a slash and a tenant, as the agent’s card has it';
    throw new InvalidParamsError([{ field: 'tenant', description }]);
  }
  return { agentId, tenant, input };
}
