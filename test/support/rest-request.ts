import type { OperationName } from '#protocol';

export interface RestRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Below the agent's base, with the query. */
  readonly path: string;
  readonly body?: unknown;
}

/** A request's ProtoJSON as HTTP+JSON has it (section 11.3): fields that stand in the path, then the body or the query. */
export function restRequestOf(operation: OperationName, request: Readonly<Record<string, unknown>>): RestRequest {
  const { id, taskId, ...rest } = request;
  const task = encodeURIComponent(textOf(id));
  const configs = `/tasks/${encodeURIComponent(textOf(taskId))}/pushNotificationConfigs`;
  switch (operation) {
    case 'sendMessage':
      return { method: 'POST', path: '/message:send', body: request };
    case 'sendStreamingMessage':
      return { method: 'POST', path: '/message:stream', body: request };
    case 'getTask':
      return { method: 'GET', path: `/tasks/${task}${queryOf(rest)}` };
    case 'listTasks':
      return { method: 'GET', path: `/tasks${queryOf(request)}` };
    case 'cancelTask':
      return { method: 'POST', path: `/tasks/${task}:cancel`, body: rest };
    case 'subscribeToTask':
      return { method: 'POST', path: `/tasks/${task}:subscribe` };
    case 'createTaskPushNotificationConfig':
      return { method: 'POST', path: configs, body: id === undefined ? rest : { ...rest, id } };
    case 'getTaskPushNotificationConfig':
      return { method: 'GET', path: `${configs}/${task}` };
    case 'listTaskPushNotificationConfigs':
      return { method: 'GET', path: `${configs}${queryOf(rest)}` };
    case 'deleteTaskPushNotificationConfig':
      return { method: 'DELETE', path: `${configs}/${task}` };
    case 'getExtendedAgentCard':
      return { method: 'GET', path: '/extendedAgentCard' };
  }
}

function queryOf(fields: Readonly<Record<string, unknown>>): string {
  const query = new URLSearchParams(Object.entries(fields).map(([name, value]): [string, string] => [name, textOf(value)]));
  return query.size === 0 ? '' : `?${query}`;
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : String(JSON.stringify(value)));
