import type { AgentCapabilities } from './agent-card.js';
import { MethodNotFoundError, PushNotificationNotSupportedError, UnsupportedOperationError } from './errors.js';
import type { Scope } from './scopes.js';

export type Capability = 'streaming' | 'pushNotifications' | 'extendedAgentCard';

export interface Operation {
  /** The JSON-RPC and gRPC method (section 5.3). */
  readonly method: string;
  /** What the caller's credential must permit. */
  readonly scope: Scope;
  /** The capability that the agent's card must state. */
  readonly capability?: Capability;
}

const operation = (method: string, scope: Scope, capability?: Capability): Operation =>
  Object.freeze({ method, scope, ...(capability && { capability }) });

/** The eleven operations of section 3.1. */
export const OPERATIONS = Object.freeze({
  sendMessage: operation('SendMessage', 'tasks:write'),
  sendStreamingMessage: operation('SendStreamingMessage', 'tasks:write', 'streaming'),
  getTask: operation('GetTask', 'tasks:read'),
  listTasks: operation('ListTasks', 'tasks:read'),
  cancelTask: operation('CancelTask', 'tasks:write'),
  subscribeToTask: operation('SubscribeToTask', 'tasks:read', 'streaming'),
  createTaskPushNotificationConfig: operation('CreateTaskPushNotificationConfig', 'push', 'pushNotifications'),
  getTaskPushNotificationConfig: operation('GetTaskPushNotificationConfig', 'push', 'pushNotifications'),
  listTaskPushNotificationConfigs: operation('ListTaskPushNotificationConfigs', 'push', 'pushNotifications'),
  deleteTaskPushNotificationConfig: operation('DeleteTaskPushNotificationConfig', 'push', 'pushNotifications'),
  getExtendedAgentCard: operation('GetExtendedAgentCard', 'card:extended', 'extendedAgentCard'),
});

export type OperationName = keyof typeof OPERATIONS;

const BY_METHOD = new Map<string, OperationName>(
  (Object.keys(OPERATIONS) as OperationName[]).map((name) => [OPERATIONS[name].method, name]),
);

/** Methods of 0.3 are paths (`message/send`); none of 1.0 is. */
const LEGACY_METHOD = /^(?:message|tasks|agent)\//;

/** The operation that a JSON-RPC `method` names. Throws MethodNotFoundError, with a hint for a method of 0.3. */
export function operationOf(method: string): OperationName {
  const name = BY_METHOD.get(method);
  if (name !== undefined) return name;
  throw new MethodNotFoundError(
    method,
    LEGACY_METHOD.test(method) ? ' (a method of A2A 0.3; the request asks for version 1.0)' : '',
  );
}

/** Throws the error of section 3.3.4 when the agent does not state the capability that the operation needs. */
export function requireCapability(name: OperationName, capabilities: AgentCapabilities): void {
  const { method, capability } = OPERATIONS[name];
  if (capability === undefined || capabilities[capability] === true) return;
  if (capability === 'pushNotifications') throw new PushNotificationNotSupportedError();
  throw new UnsupportedOperationError(`This agent does not support ${method}`, { capability });
}
