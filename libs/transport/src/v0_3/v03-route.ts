import { among, operationsAt, type Methods, type Route } from '../route.js';

export type V03Route = Extract<Route, { kind: 'version-0.3' }>;

const CARD: Methods = { GET: { operation: 'getExtendedAgentCard', fields: {} } };

/** Where a request below `/v1` goes: the resources are those of 1.0, but the card has another path and tasks cannot be listed. */
export function v03RouteOf(
  method: string,
  { agentId, v1 }: V03Route,
): Extract<Route, { kind: 'rest' | 'not-found' | 'method-not-allowed' }> {
  const methods = methodsAt(v1);
  return methods ? among(methods, method, agentId === undefined ? {} : { agentId }) : { kind: 'not-found' };
}

function methodsAt(v1: readonly string[]): Methods | undefined {
  if (v1.length > 1) return operationsAt(v1);
  switch (v1[0]) {
    case 'card':
      return CARD;
    case 'tasks':
    case 'extendedAgentCard':
      return undefined;
    default:
      return operationsAt(v1);
  }
}
