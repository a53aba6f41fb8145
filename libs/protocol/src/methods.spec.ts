import { MethodNotFoundError, PushNotificationNotSupportedError, UnsupportedOperationError } from './errors.js';
import { OPERATIONS, operationOf, requireCapability } from './methods.js';
import type { OperationName } from './methods.js';

describe('operationOf', () => {
  it('finds each of the eleven operations by its method', () => {
    const names = Object.keys(OPERATIONS) as OperationName[];
    expect(names).toHaveLength(11);
    expect(names.map((name) => operationOf(OPERATIONS[name].method))).toEqual(names);
  });

  it.each(['sendMessage', 'SendMessages', '', 'constructor', '__proto__'])('does not know %j', (method) => {
    expect(() => operationOf(method)).toThrow(MethodNotFoundError);
  });

  it('repeats no more of a method than helps', () => {
    expect(() => operationOf('x'.repeat(100_000))).toThrow(/^Method not found: x{128}…$/);
  });

  it('says of a method of 0.3 that it is one', () => {
    expect(() => operationOf('message/send')).toThrow('Method not found: message/send (a method of A2A 0.3');
  });
});

describe('requireCapability', () => {
  it.each<[OperationName, new (...args: never[]) => Error]>([
    ['sendStreamingMessage', UnsupportedOperationError],
    ['subscribeToTask', UnsupportedOperationError],
    ['createTaskPushNotificationConfig', PushNotificationNotSupportedError],
    ['getTaskPushNotificationConfig', PushNotificationNotSupportedError],
    ['listTaskPushNotificationConfigs', PushNotificationNotSupportedError],
    ['deleteTaskPushNotificationConfig', PushNotificationNotSupportedError],
    ['getExtendedAgentCard', UnsupportedOperationError],
  ])('%s needs its own', (name, error) => {
    expect(() => requireCapability(name, {})).toThrow(error);
    expect(() => requireCapability(name, { [OPERATIONS[name].capability as string]: false })).toThrow(error);
    expect(() => requireCapability(name, { [OPERATIONS[name].capability as string]: true })).not.toThrow();
  });

  it.each<OperationName>(['sendMessage', 'getTask', 'listTasks', 'cancelTask'])('%s needs none', (name) => {
    expect(() => requireCapability(name, {})).not.toThrow();
  });
});
