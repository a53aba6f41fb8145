import { StoreUnavailableError, type RequestHandler } from '#core';
import { A2AError, ERROR_TABLE, type ErrorName, type OperationName } from '#protocol';
import { AGENT, InMemoryHost } from '../support/in-memory-host.js';
import { PUSH_ENV } from '../support/push-configs.js';
import { ThreeBindings, type Json } from '../support/three-bindings.js';

const REQUESTS: readonly (readonly [OperationName, Json])[] = [
  ['sendMessage', { message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'x' }] } }],
  ['sendStreamingMessage', { message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'x' }] } }],
  ['getTask', { id: 't' }],
  ['listTasks', {}],
  ['cancelTask', { id: 't' }],
  ['subscribeToTask', { id: 't' }],
  ['createTaskPushNotificationConfig', { taskId: 't', url: 'https://receiver.example/' }],
  ['getTaskPushNotificationConfig', { taskId: 't', id: 'c' }],
  ['listTaskPushNotificationConfigs', { taskId: 't' }],
  ['deleteTaskPushNotificationConfig', { taskId: 't', id: 'c' }],
];
const VIOLATIONS = [
  { field: 'a.b[0]', description: 'ä€😀\n' },
  { field: '', description: '' },
];

describe('an error that an operation throws is the same over each binding', () => {
  let host: InMemoryHost;
  let bindings: ThreeBindings;
  let thrown: unknown;

  beforeAll(async () => {
    const throwing = async (): Promise<never> => {
      throw thrown;
    };
    const handler = new Proxy({} as RequestHandler, { get: () => throwing });
    host = await InMemoryHost.start({ env: PUSH_ENV, execute: async function* () {}, before: () => handler });
    bindings = new ThreeBindings(host, AGENT);
  });
  afterAll(async () => {
    bindings.close();
    await host.close();
  });

  it.each(Object.keys(ERROR_TABLE) as ErrorName[])('%s, whatever it says', async (name) => {
    const { reason, domain } = ERROR_TABLE[name];
    for (const [operation, request] of REQUESTS) {
      thrown = new A2AError(name, 'Said with ä€😀, %41 and\nanother line', { key: 'välue', uri: 'urn:x' });
      const plain = await bindings.same(operation, () => request);
      expect(plain).toMatchObject({ error: { details: [{ reason, domain, metadata: { key: 'välue' } }] } });
      thrown = new A2AError(name, '', {}, VIOLATIONS);
      expect(await bindings.same(operation, () => request)).toMatchObject({
        error: { details: [{ reason }, { fieldViolations: VIOLATIONS }] },
      });
    }
  });

  it.each([
    ['UNAVAILABLE', new StoreUnavailableError('secret')],
    ['INTERNAL', new Error('secret')],
  ])('%s, which keeps its cause', async (reason, cause) => {
    for (const [operation, request] of REQUESTS) {
      thrown = cause;
      const outcome = await bindings.same(operation, () => request);
      expect(outcome).toMatchObject({ error: { details: [{ reason }] } });
      expect(JSON.stringify(outcome)).not.toContain('secret');
    }
  });
});
