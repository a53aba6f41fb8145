import { isName, type OperationName } from '#protocol';

/** Where a request goes. `agentId` is absent for the default agent; `tenant` is the one in the path. */
export type Route =
  | { readonly kind: 'json-rpc'; readonly agentId?: string }
  /** `legacy`: at the path that 0.3 has for it. */
  | { readonly kind: 'agent-card'; readonly agentId?: string; readonly legacy?: true }
  /** What agents there are. */
  | { readonly kind: 'agent-list' }
  /** The keys that cards are signed with. */
  | { readonly kind: 'key-set' }
  /** Where tokens for the host, or for one agent of it, come from. */
  | { readonly kind: 'protected-resource'; readonly agentId?: string }
  | {
      readonly kind: 'rest';
      readonly agentId?: string;
      readonly tenant?: string;
      readonly operation: OperationName;
      /** Fields of the request that stand in the path. */
      readonly fields: Readonly<Record<string, string>>;
    }
  | { readonly kind: 'not-found'; readonly hint?: string }
  /** A path of A2A 0.3, whose HTTP+JSON paths stand below `/v1`; `v1` holds the segments there. */
  | { readonly kind: 'version-0.3'; readonly agentId?: string; readonly v1: readonly string[] }
  /** `rpc`: the path is a JSON-RPC base, so the refusal takes the form of JSON-RPC. */
  | { readonly kind: 'method-not-allowed'; readonly allow: string; readonly rpc: boolean };

/** The operations of one resource, by HTTP method. */
export type Methods = Readonly<
  Partial<Record<string, { readonly operation: OperationName; readonly fields: Readonly<Record<string, string>> }>>
>;

const WELL_KNOWN = '.well-known';
const PROTECTED_RESOURCE = 'oauth-protected-resource';
const DOCUMENT_METHODS = 'GET, HEAD, OPTIONS';
const NOT_FOUND: Route = Object.freeze({ kind: 'not-found' });
const AGENT_LIST: Route = Object.freeze({ kind: 'agent-list' });
const DEFAULT_RPC: Route = Object.freeze({ kind: 'json-rpc' });
const NO_FIELDS = Object.freeze({});

/**
 * Finds the route of a request by its path alone, before anything else is known: ids may hold `:` and `%2F`, actions may be
 * written with `%3A`, a trailing slash is nothing. `path` is undecoded and without the query.
 */
export function routeOf(method: string, path: string): Route {
  if (path === '/' && method === 'POST') return DEFAULT_RPC;
  const segments = segmentsOf(path);
  if (!segments) return NOT_FOUND;
  const [first, agentId] = segments;
  if (first === 'agents') {
    if (segments.length === 1) return document(method, AGENT_LIST);
    if (agentId === WELL_KNOWN) {
      return {
        kind: 'not-found',
        hint: ': the card is at /agents/{agentId}/.well-known/agent-card.json; resolve it from a base that ends in a slash',
      };
    }
    return agentId !== undefined && isName(agentId) ? below(method, segments.slice(2), agentId) : NOT_FOUND;
  }
  return below(method, first === 'a2a' ? segments.slice(1) : segments);
}

/** The segments of a path, decoded; undefined when it cannot be. */
export function segmentsOf(path: string): string[] | undefined {
  const end = path.endsWith('/') ? path.length - 1 : path.length;
  if (end <= 1) return [];
  const raw = path.slice(1, end).split('/');
  if (!path.includes('%')) return raw;
  try {
    return raw.map(decodeURIComponent);
  } catch {
    return undefined;
  }
}

function below(method: string, rest: readonly string[], agentId?: string): Route {
  const agent = agentId === undefined ? {} : { agentId };
  if (rest.length === 0) {
    return method === 'POST' ? { kind: 'json-rpc', ...agent } : { kind: 'method-not-allowed', allow: 'POST, OPTIONS', rpc: true };
  }
  if (rest[0] === WELL_KNOWN) {
    const found = documentAt(rest.slice(1), agentId);
    return found ? document(method, found) : NOT_FOUND;
  }
  if (rest[0] === 'v1') {
    const v1 = rest.slice(1);
    return v1[0] === 'card' || operationsAt(v1) ? { kind: 'version-0.3', ...agent, v1 } : NOT_FOUND;
  }
  const tenant = rest.length > 1 && isName(rest[0] as string) ? rest[0] : undefined;
  const methods = operationsAt(tenant === undefined ? rest : rest.slice(1));
  if (!methods) return NOT_FOUND;
  return among(methods, method, { ...agent, ...(tenant === undefined ? {} : { tenant }) });
}

const document = (method: string, found: Route): Route =>
  method === 'GET' || method === 'HEAD' ? found : { kind: 'method-not-allowed', allow: DOCUMENT_METHODS, rpc: false };

type Found = Extract<Route, { kind: 'rest' | 'method-not-allowed' }>;

/** The route to what `method` means for the resource; `scope` is whose resource it is. */
export function among(methods: Methods, method: string, scope: { readonly agentId?: string; readonly tenant?: string }): Found {
  const found = methods[method] ?? (method === 'HEAD' && hasHead(methods) ? methods['GET'] : undefined);
  if (!found) return { kind: 'method-not-allowed', allow: allowOf(methods), rpc: false };
  return { kind: 'rest', ...scope, ...found };
}

/**
 * The key set is the host's, not an agent's. What is told of a resource stands at the host's root with the resource's path behind it
 * (RFC 9728, 3.1).
 */
function documentAt([name, ...path]: readonly string[], agentId: string | undefined): Route | undefined {
  const agent = agentId === undefined ? {} : { agentId };
  if (name === PROTECTED_RESOURCE && agentId === undefined) return resourceAt(path);
  if (path.length > 0) return undefined;
  if (name === 'agent-card.json') return { kind: 'agent-card', ...agent };
  if (name === 'agent.json') return { kind: 'agent-card', ...agent, legacy: true };
  return name === 'jwks.json' && agentId === undefined ? { kind: 'key-set' } : undefined;
}

function resourceAt([first, agentId, ...more]: readonly string[]): Route | undefined {
  if (first === undefined) return { kind: 'protected-resource' };
  const isAgent = first === 'agents' && agentId !== undefined && isName(agentId) && more.length === 0;
  return isAgent ? { kind: 'protected-resource', agentId } : undefined;
}

/** The answer to HEAD is that to GET without its body, which a stream cannot be. */
const hasHead = ({ GET }: Methods): boolean => GET !== undefined && GET.operation !== 'subscribeToTask';

const allowOf = (methods: Methods): string =>
  [...Object.keys(methods), ...(hasHead(methods) ? ['HEAD'] : []), 'OPTIONS'].join(', ');

const MESSAGE_SEND: Methods = { POST: { operation: 'sendMessage', fields: NO_FIELDS } };
const MESSAGE_STREAM: Methods = { POST: { operation: 'sendStreamingMessage', fields: NO_FIELDS } };
const TASKS: Methods = { GET: { operation: 'listTasks', fields: NO_FIELDS } };
const EXTENDED_CARD: Methods = { GET: { operation: 'getExtendedAgentCard', fields: NO_FIELDS } };

/** The operations of one HTTP+JSON resource (section 11.3), by HTTP method. */
export function operationsAt([first, second, third, fourth, ...more]: readonly string[]): Methods | undefined {
  if (second === undefined) {
    if (first === 'message:send') return MESSAGE_SEND;
    if (first === 'message:stream') return MESSAGE_STREAM;
    if (first === 'extendedAgentCard') return EXTENDED_CARD;
    return first === 'tasks' ? TASKS : undefined;
  }
  if (first !== 'tasks' || second === '' || more.length > 0) return undefined;
  if (third === undefined) return taskOperations(second);
  if (third !== 'pushNotificationConfigs') return undefined;
  if (fourth === undefined) {
    const fields = { taskId: second };
    return {
      GET: { operation: 'listTaskPushNotificationConfigs', fields },
      POST: { operation: 'createTaskPushNotificationConfig', fields },
    };
  }
  const fields = { taskId: second, id: fourth };
  return {
    GET: { operation: 'getTaskPushNotificationConfig', fields },
    DELETE: { operation: 'deleteTaskPushNotificationConfig', fields },
  };
}

/** `{id}`, `{id}:cancel` or `{id}:subscribe`: an id may hold colons itself, so the last one counts. */
function taskOperations(segment: string): Methods {
  const colon = segment.lastIndexOf(':');
  const id = segment.slice(0, colon);
  const action = colon > 0 ? segment.slice(colon + 1) : '';
  if (action === 'cancel') return { POST: { operation: 'cancelTask', fields: { id } } };
  if (action === 'subscribe') {
    const subscribe = { operation: 'subscribeToTask', fields: { id } } as const;
    return { GET: subscribe, POST: subscribe };
  }
  return { GET: { operation: 'getTask', fields: { id: segment } } };
}
