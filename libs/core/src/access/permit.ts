import { OPERATIONS, PermissionDeniedError, type OperationName } from '#protocol';
import type { Caller } from './caller.js';

/** Throws PermissionDeniedError when the caller's credential does not permit the operation with the agent. */
export function permit({ scopes, agents }: Caller, operation: OperationName, agentId: string): void {
  const { method, scope } = OPERATIONS[operation];
  if (!scopes.has(scope)) throw new PermissionDeniedError(`${method} needs a credential with the scope ${scope}`, scope);
  if (agents !== undefined && !agents.has(agentId)) {
    throw new PermissionDeniedError(`The credential does not permit the agent ${agentId}`);
  }
}
