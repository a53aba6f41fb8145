import type { Form } from '#protocol';
import { readRequest, type V03Operation } from './read-request.js';

const MESSAGE = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hi' }] };
const KIND_MESSAGE = { kind: 'message', messageId: 'm', role: 'user', parts: [{ kind: 'text', text: 'hi' }] };
const PROTO_MESSAGE = { messageId: 'm', role: 'ROLE_USER', content: [{ text: 'hi' }] };
const SNAKE_MESSAGE = { message_id: 'm', role: 'ROLE_USER', content: [{ text: 'hi' }] };
const PUSH = { id: 'p', url: 'https://h.test/', token: 't' };

/** As the parsers of 1.0 see it: a member that is undefined is not there. */
const read = (operation: V03Operation, input: unknown, form: Form): unknown => {
  const value = readRequest(operation, input, form);
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
};

type Row = readonly [operation: V03Operation, input: unknown, expected: unknown];

describe('readRequest', () => {
  it.each<Row>([
    ['sendMessage', { message: KIND_MESSAGE, metadata: { a: 1 } }, { message: MESSAGE, metadata: { a: 1 } }],
    ['sendStreamingMessage', { message: KIND_MESSAGE }, { message: MESSAGE }],
    ['sendMessage', { request: SNAKE_MESSAGE }, { message: MESSAGE }],
    ['getTask', { id: 't', historyLength: 2 }, { id: 't', historyLength: 2 }],
    ['getTask', { id: 't', history_length: 2 }, { id: 't', historyLength: 2 }],
    ['getTask', { id: 't', historyLength: 0 }, { id: 't' }],
    ['cancelTask', { id: 't', metadata: { reason: 'x' } }, { id: 't', metadata: { reason: 'x' } }],
    ['subscribeToTask', { id: 't', metadata: {} }, { id: 't' }],
    ['createTaskPushNotificationConfig', { taskId: 't', pushNotificationConfig: PUSH }, { taskId: 't', ...PUSH }],
    [
      'createTaskPushNotificationConfig',
      { taskId: 't', pushNotificationConfig: { url: 'u' } },
      { taskId: 't', id: 't', url: 'u' },
    ],
    ['getTaskPushNotificationConfig', { id: 't', pushNotificationConfigId: 'p' }, { taskId: 't', id: 'p' }],
    ['getTaskPushNotificationConfig', { id: 't' }, { taskId: 't', id: 't' }],
    ['listTaskPushNotificationConfigs', { id: 't' }, { taskId: 't' }],
    ['deleteTaskPushNotificationConfig', { id: 't', pushNotificationConfigId: 'p' }, { taskId: 't', id: 'p' }],
    ['getExtendedAgentCard', undefined, {}],
  ])('of JSON-RPC: %s %j is %j', (operation, input, expected) => {
    expect(read(operation, input, 'kind')).toEqual(expected);
  });

  it.each<Row>([
    ['sendMessage', { message: PROTO_MESSAGE, metadata: { a: 1 } }, { message: MESSAGE, metadata: { a: 1 } }],
    ['sendStreamingMessage', { request: SNAKE_MESSAGE }, { message: MESSAGE }],
    ['sendMessage', { message: KIND_MESSAGE }, { message: MESSAGE }],
    ['getTask', { id: 't', historyLength: '2' }, { id: 't', historyLength: '2' }],
    ['getTask', { name: 'tasks/t', historyLength: 2 }, { id: 't', historyLength: 2 }],
    ['getTask', { name: 'tasks/t', historyLength: '0' }, { id: 't' }],
    ['getTask', { name: 'nonsense' }, { id: 'nonsense' }],
    ['cancelTask', { name: 'tasks/t' }, { id: 't' }],
    ['subscribeToTask', { name: 'tasks/a:b' }, { id: 'a:b' }],
    [
      'createTaskPushNotificationConfig',
      { parent: 'tasks/t', configId: 'p', config: { name: 'tasks/t/pushNotificationConfigs/p', pushNotificationConfig: PUSH } },
      { taskId: 't', ...PUSH },
    ],
    [
      'createTaskPushNotificationConfig',
      { parent: 'tasks/t', configId: 'p', config: { pushNotificationConfig: { url: 'u' } } },
      { taskId: 't', id: 'p', url: 'u' },
    ],
    ['createTaskPushNotificationConfig', { taskId: 't', config: { pushNotificationConfig: PUSH } }, { taskId: 't', ...PUSH }],
    ['getTaskPushNotificationConfig', { name: 'tasks/t/pushNotificationConfigs/p' }, { taskId: 't', id: 'p' }],
    ['getTaskPushNotificationConfig', { taskId: 't', id: 'p' }, { taskId: 't', id: 'p' }],
    ['deleteTaskPushNotificationConfig', { name: 'tasks/t/pushNotificationConfigs/p' }, { taskId: 't', id: 'p' }],
    ['listTaskPushNotificationConfigs', { parent: 'tasks/t' }, { taskId: 't' }],
    ['listTaskPushNotificationConfigs', { taskId: 't' }, { taskId: 't' }],
    ['getExtendedAgentCard', {}, {}],
  ])('of the proto: %s %j is %j', (operation, input, expected) => {
    expect(read(operation, input, 'proto')).toEqual(expected);
  });

  it.each<[Form, unknown, unknown]>([
    ['kind', undefined, undefined],
    ['kind', {}, {}],
    ['kind', { blocking: true }, { returnImmediately: false }],
    ['kind', { blocking: false }, { returnImmediately: true }],
    ['kind', { blocking: null }, {}],
    ['kind', { blocking: 'yes' }, { returnImmediately: 'yes' }],
    ['proto', undefined, undefined],
    ['proto', {}, { returnImmediately: true }],
    ['proto', { blocking: true }, { returnImmediately: false }],
    ['kind', { historyLength: 0 }, {}],
    ['kind', { historyLength: -1 }, { historyLength: -1 }],
    ['kind', { accepted_output_modes: ['text'] }, { acceptedOutputModes: ['text'] }],
    ['kind', 'wrong', 'wrong'],
  ])('the configuration of the form %s: %j is %j', (form, configuration, expected) => {
    expect(read('sendMessage', { message: KIND_MESSAGE, configuration }, form)).toEqual({
      message: MESSAGE,
      ...(expected === undefined ? {} : { configuration: expected }),
    });
  });

  it.each<[Form, string]>([
    ['kind', 'pushNotificationConfig'],
    ['proto', 'pushNotification'],
  ])('push in a configuration of the form %s is %s; the first of its schemes counts', (form, name) => {
    const push = { url: 'u', authentication: { schemes: ['Bearer', 'Basic'], credentials: 'c' } };
    expect(read('sendMessage', { message: KIND_MESSAGE, configuration: { blocking: true, [name]: push } }, form)).toMatchObject({
      configuration: { taskPushNotificationConfig: { url: 'u', authentication: { scheme: 'Bearer', credentials: 'c' } } },
    });
  });

  it.each([['text'], [7], [[]]])('leaves %j, which is no message, for the parser to refuse', (input) => {
    expect(readRequest('getTask', input, 'kind')).toBe(input);
  });
});
