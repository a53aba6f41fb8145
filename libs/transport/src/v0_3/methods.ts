import { MethodNotFoundError, VersionNotSupportedError, operationOf } from '#protocol';
import { SUPPORTED_VERSIONS } from '../host.js';
import type { V03Operation } from './read-request.js';

const METHODS: ReadonlyMap<string, V03Operation> = new Map<string, V03Operation>([
  ['message/send', 'sendMessage'],
  ['message/stream', 'sendStreamingMessage'],
  ['tasks/get', 'getTask'],
  ['tasks/cancel', 'cancelTask'],
  ['tasks/resubscribe', 'subscribeToTask'],
  ['tasks/pushNotificationConfig/set', 'createTaskPushNotificationConfig'],
  ['tasks/pushNotificationConfig/get', 'getTaskPushNotificationConfig'],
  ['tasks/pushNotificationConfig/list', 'listTaskPushNotificationConfigs'],
  ['tasks/pushNotificationConfig/delete', 'deleteTaskPushNotificationConfig'],
  ['agent/getAuthenticatedExtendedCard', 'getExtendedAgentCard'],
]);

/**
 * The operation of a JSON-RPC method of 0.3; `requested` is the version that the request names. Throws VersionNotSupportedError for
 * a method of 1.0, whose client forgot the version, and MethodNotFoundError.
 */
export function v03OperationOf(method: string, requested: string): V03Operation {
  const operation = METHODS.get(method);
  if (operation !== undefined) return operation;
  if (isV1Method(method)) {
    throw new VersionNotSupportedError(
      requested,
      SUPPORTED_VERSIONS,
      `. ${method} is a method of 1.0: send \`A2A-Version: 1.0\``,
    );
  }
  throw new MethodNotFoundError(method);
}

function isV1Method(method: string): boolean {
  try {
    return operationOf(method) !== undefined;
  } catch (error) {
    if (error instanceof MethodNotFoundError) return false;
    throw error;
  }
}
