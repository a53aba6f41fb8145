import type { OperationName, Form } from '#protocol';
import { fieldOf, isFields, type Fields } from './fields.js';
import { readMessage } from './read-message.js';

/** 0.3 cannot list tasks. */
export type V03Operation = Exclude<OperationName, 'listTasks'>;

/**
 * The message of a 0.3 request as that of 1.0, for the parsers of 1.0 to validate: nothing is refused here. In the proto form a
 * task may be named by `id`, as in paths, or by `name` or `parent`, as in the messages of `a2a.v1`.
 */
export function readRequest(operation: V03Operation, input: unknown, form: Form): unknown {
  if (input !== undefined && input !== null && !isFields(input)) return input;
  const fields = input ?? {};
  switch (operation) {
    case 'sendMessage':
    case 'sendStreamingMessage':
      return {
        message: readMessage(fieldOf(fields, 'message', 'request'), form),
        configuration: readConfiguration(fieldOf(fields, 'configuration'), form),
        metadata: fieldOf(fields, 'metadata'),
      };
    case 'getTask':
      return { id: taskIdOf(fields), historyLength: readHistoryLength(fields) };
    case 'cancelTask':
      return { id: taskIdOf(fields), metadata: fieldOf(fields, 'metadata') };
    case 'subscribeToTask':
      return { id: taskIdOf(fields) };
    case 'createTaskPushNotificationConfig':
      return readTaskPushConfig(fields);
    case 'getTaskPushNotificationConfig':
    case 'deleteTaskPushNotificationConfig':
      return readConfigName(fields, form);
    case 'listTaskPushNotificationConfigs':
      return { taskId: fieldOf(fields, 'taskId') ?? taskIdOf(fields) };
    case 'getExtendedAgentCard':
      return {};
  }
}

const TASK_NAME = /^tasks\/([^/]+)(?:\/pushNotificationConfigs\/([^/]*))?$/;

/** The parts of a resource's name. One that is no name is left whole: there is no such task. */
function namesIn(fields: Fields): { taskId?: unknown; configId?: unknown } {
  const name = fieldOf(fields, 'name', 'parent');
  if (typeof name !== 'string') return { taskId: name };
  const [, taskId = name, configId] = TASK_NAME.exec(name) ?? [];
  return { taskId, configId };
}

const taskIdOf = (fields: Fields): unknown => fieldOf(fields, 'id') ?? namesIn(fields).taskId;

/** 0 is no limit: it is what an unset number looks like in the proto, and what clients of the other form mean by it too. */
function readHistoryLength(fields: Fields): unknown {
  const length = fieldOf(fields, 'historyLength');
  return length === 0 || length === '0' ? undefined : length;
}

function readConfiguration(input: unknown, form: Form): unknown {
  if (!isFields(input)) return input;
  return {
    acceptedOutputModes: fieldOf(input, 'acceptedOutputModes'),
    historyLength: readHistoryLength(input),
    returnImmediately: readBlocking(fieldOf(input, 'blocking'), form),
    taskPushNotificationConfig: readPushConfig(fieldOf(input, 'pushNotificationConfig', 'pushNotification')),
  };
}

/**
 * A send blocks unless `blocking` is false. A configuration of the proto form without it says false: ProtoJSON and protobuf leave
 * false out, so official clients cannot say it otherwise.
 */
function readBlocking(blocking: unknown, form: Form): unknown {
  if (blocking === undefined) return form === 'proto' ? true : undefined;
  return typeof blocking === 'boolean' ? !blocking : blocking;
}

/** Of several schemes the first one counts: 1.0 has room for one. */
function readPushConfig(input: unknown): unknown {
  if (!isFields(input)) return input;
  const authentication = fieldOf(input, 'authentication');
  return {
    id: fieldOf(input, 'id'),
    url: fieldOf(input, 'url'),
    token: fieldOf(input, 'token'),
    authentication: isFields(authentication) ? readAuthentication(authentication) : authentication,
  };
}

function readAuthentication(authentication: Fields): Fields {
  const schemes = fieldOf(authentication, 'schemes');
  return { scheme: Array.isArray(schemes) ? schemes[0] : schemes, credentials: fieldOf(authentication, 'credentials') };
}

/**
 * A configuration without an id has its task's, as official servers of 0.3 have it: that version can get a configuration without
 * naming it.
 */
function readTaskPushConfig(fields: Fields): unknown {
  const wrapped = fieldOf(fields, 'config');
  const config = isFields(wrapped) ? wrapped : fields;
  const { taskId: named, configId } = { ...namesIn(config), ...namesIn(fields) };
  const taskId = fieldOf(fields, 'taskId') ?? named;
  const push = readPushConfig(fieldOf(config, 'pushNotificationConfig'));
  if (!isFields(push)) return { taskId };
  const id = push['id'] ?? fieldOf(fields, 'configId') ?? (configId === '' ? undefined : configId) ?? taskId;
  return { ...push, taskId, id };
}

function readConfigName(fields: Fields, form: Form): unknown {
  if (form === 'kind') {
    const taskId = fieldOf(fields, 'id');
    return { taskId, id: fieldOf(fields, 'pushNotificationConfigId') ?? taskId };
  }
  const { taskId, configId } = namesIn(fields);
  return { taskId: fieldOf(fields, 'taskId') ?? taskId, id: fieldOf(fields, 'id') ?? configId };
}
