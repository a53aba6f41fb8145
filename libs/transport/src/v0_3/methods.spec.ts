import { OPERATIONS } from '#protocol';
import { v03OperationOf } from './methods.js';

describe('v03OperationOf', () => {
  it.each([
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
  ])('%s is %s', (method, operation) => {
    expect(v03OperationOf(method, '')).toBe(operation);
  });

  it.each(Object.values(OPERATIONS).map(({ method }) => method))('%s is one of 1.0, which needs its version', (method) => {
    const refused = (requested: string) => () => v03OperationOf(method, requested);
    expect(refused('')).toThrow(`No A2A-Version was sent, which means 0.3; supported: 1.0. ${method} is a method of 1.0: send`);
    expect(refused('0.3')).toThrow('A2A version 0.3 is not supported; supported: 1.0');
  });

  it.each(['tasks/list', 'message/sendMessage', 'Message/Send', '', 'constructor', '__proto__'])('%j is no method', (method) => {
    expect(() => v03OperationOf(method, '')).toThrow(expect.objectContaining({ name: 'MethodNotFoundError' }));
  });
});
