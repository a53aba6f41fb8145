/** The eleven operations of section 5.3, and how each binding names them. */

interface OperationRow {
  readonly request: string;
  readonly response: string;
  readonly http: readonly [method: string, path: string];
  readonly streams?: true;
}

const TASK_CONFIGS = '/tasks/{taskId}/pushNotificationConfigs';

export const OPERATIONS = {
  SendMessage: { request: 'SendMessageRequest', response: 'SendMessageResponse', http: ['POST', '/message:send'] },
  SendStreamingMessage: {
    request: 'SendMessageRequest',
    response: 'StreamResponse',
    http: ['POST', '/message:stream'],
    streams: true,
  },
  GetTask: { request: 'GetTaskRequest', response: 'Task', http: ['GET', '/tasks/{id}'] },
  ListTasks: { request: 'ListTasksRequest', response: 'ListTasksResponse', http: ['GET', '/tasks'] },
  CancelTask: { request: 'CancelTaskRequest', response: 'Task', http: ['POST', '/tasks/{id}:cancel'] },
  SubscribeToTask: {
    request: 'SubscribeToTaskRequest',
    response: 'StreamResponse',
    http: ['POST', '/tasks/{id}:subscribe'],
    streams: true,
  },
  CreateTaskPushNotificationConfig: {
    request: 'TaskPushNotificationConfig',
    response: 'TaskPushNotificationConfig',
    http: ['POST', TASK_CONFIGS],
  },
  GetTaskPushNotificationConfig: {
    request: 'GetTaskPushNotificationConfigRequest',
    response: 'TaskPushNotificationConfig',
    http: ['GET', `${TASK_CONFIGS}/{id}`],
  },
  ListTaskPushNotificationConfigs: {
    request: 'ListTaskPushNotificationConfigsRequest',
    response: 'ListTaskPushNotificationConfigsResponse',
    http: ['GET', TASK_CONFIGS],
  },
  DeleteTaskPushNotificationConfig: {
    request: 'DeleteTaskPushNotificationConfigRequest',
    response: 'Empty',
    http: ['DELETE', `${TASK_CONFIGS}/{id}`],
  },
  GetExtendedAgentCard: { request: 'GetExtendedAgentCardRequest', response: 'AgentCard', http: ['GET', '/extendedAgentCard'] },
} as const satisfies Record<string, OperationRow>;

export type OperationName = keyof typeof OPERATIONS;

export const operationRow = (name: OperationName): OperationRow => OPERATIONS[name];
