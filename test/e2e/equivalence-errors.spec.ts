import { randomUUID } from 'node:crypto';
import { status } from '@grpc/grpc-js';
import { ERROR_TABLE, type ErrorName, type OperationName, type Task } from '#protocol';
import { A2AClient } from '../support/a2a-client.js';
import { useCluster } from '../support/cluster.js';
import { GrpcError } from '../support/grpc-status.js';
import { outcomeOf, ThreeBindings, type Binding, type Headers, type Json } from '../support/three-bindings.js';

interface Tasks {
  /** COMPLETED */
  readonly done: string;
  /** INPUT_REQUIRED, in the context `asked`. */
  readonly asking: string;
}

interface Case {
  readonly error: ErrorName;
  readonly what: string;
  readonly operation: OperationName;
  readonly request: (tasks: Tasks) => Json;
  readonly headers?: Headers;
  readonly agent?: string;
  /** Fields at fault; none are expected unless it is given. */
  readonly fields?: readonly string[];
}

const user = (text: string, more: Json = {}): Json => ({
  message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text }], ...more },
});
const configured = (configuration: Json): Json => ({ ...user('complete done'), configuration });

const ABOUT_TASKS: readonly Case[] = [
  ...(['getTask', 'cancelTask', 'subscribeToTask'] as const).map((operation): Case => ({
    error: 'TaskNotFoundError',
    what: operation,
    operation,
    request: () => ({ id: 'nothing' }),
  })),
  ...(['sendMessage', 'sendStreamingMessage'] as const).flatMap((operation): Case[] => [
    { error: 'TaskNotFoundError', what: operation, operation, request: () => user('x', { taskId: randomUUID() }) },
    {
      error: 'UnsupportedOperationError',
      what: `${operation} to what has ended`,
      operation,
      request: ({ done }) => user('x', { taskId: done }),
    },
    {
      error: 'InvalidParamsError',
      what: `${operation} with a context that is not the task's`,
      operation,
      request: ({ asking }) => user('x', { taskId: asking, contextId: 'other' }),
      fields: ['message.contextId'],
    },
  ]),
  { error: 'TaskNotCancelableError', what: 'ended', operation: 'cancelTask', request: ({ done }) => ({ id: done }) },
  {
    error: 'UnsupportedOperationError',
    what: 'a subscription to what has ended',
    operation: 'subscribeToTask',
    request: ({ done }) => ({ id: done }),
  },
];

const CONFIG = { taskId: 't', id: 'c' };
const NOT_OFFERED: readonly Case[] = [
  {
    error: 'PushNotificationNotSupportedError',
    what: 'create',
    operation: 'createTaskPushNotificationConfig',
    request: () => ({ taskId: 't', url: 'https://a.example' }),
  },
  {
    error: 'PushNotificationNotSupportedError',
    what: 'get',
    operation: 'getTaskPushNotificationConfig',
    request: () => CONFIG,
  },
  {
    error: 'PushNotificationNotSupportedError',
    what: 'list',
    operation: 'listTaskPushNotificationConfigs',
    request: () => ({ taskId: 't', pageSize: 3 }),
  },
  {
    error: 'PushNotificationNotSupportedError',
    what: 'delete',
    operation: 'deleteTaskPushNotificationConfig',
    request: () => CONFIG,
  },
  {
    error: 'PushNotificationNotSupportedError',
    what: 'with a message',
    operation: 'sendMessage',
    request: () => configured({ taskPushNotificationConfig: { url: 'https://a.example' } }),
  },
  { error: 'UnsupportedOperationError', what: 'the extended card', operation: 'getExtendedAgentCard', request: () => ({}) },
  {
    error: 'ContentTypeNotSupportedError',
    what: 'parts',
    operation: 'sendMessage',
    request: () => user('', { parts: [{ text: 'ä' }, { raw: '', mediaType: 'image/png' }, { url: 'u', mediaType: 'a/b' }] }),
    fields: ['message.parts[1]', 'message.parts[2]'],
  },
  {
    error: 'ContentTypeNotSupportedError',
    what: 'what the client takes',
    operation: 'sendStreamingMessage',
    request: () => configured({ acceptedOutputModes: ['image/png'] }),
  },
  ...(['sendMessage', 'getTask', 'subscribeToTask'] as const).map((operation): Case => ({
    error: 'ExtensionSupportRequiredError',
    what: operation,
    operation,
    request: ({ done }) => (operation === 'sendMessage' ? user('x') : { id: done }),
    headers: { 'a2a-extensions': 'urn:another' },
    agent: 'script-extension',
  })),
  ...['', '0.3', '2.0', '1', 'x'].flatMap((version): Case[] =>
    (['getTask', 'sendStreamingMessage'] as const).map((operation) => ({
      error: 'VersionNotSupportedError',
      what: `"${version}" for ${operation}`,
      operation,
      request: ({ done }) => (operation === 'getTask' ? { id: done } : user('x')),
      headers: { 'a2a-version': version },
    })),
  ),
  { error: 'AgentNotFoundError', what: 'getTask', operation: 'getTask', request: () => ({ id: 'x' }), agent: 'nobody' },
  { error: 'AgentNotFoundError', what: 'sendMessage', operation: 'sendMessage', request: () => user('x'), agent: 'nobody' },
];

const invalid = (
  what: string,
  operation: OperationName,
  request: Case['request'],
  fields: string[],
  headers?: Headers,
): Case => ({
  error: 'InvalidParamsError',
  what,
  operation,
  request,
  fields,
  ...(headers === undefined ? {} : { headers }),
});
/** A value that is nested this deep. */
const nested = (levels: number): unknown => (levels === 0 ? 1 : [nested(levels - 1)]);

const INVALID: readonly Case[] = [
  invalid('no message', 'sendMessage', () => ({}), ['message']),
  invalid('no parts', 'sendMessage', () => user('', { parts: [] }), ['message.parts']),
  invalid('an empty part', 'sendMessage', () => user('', { parts: [{ text: '' }, {}] }), ['message.parts[1]']),
  invalid('no messageId', 'sendMessage', () => user('x', { messageId: '' }), ['message.messageId']),
  invalid('the role of an agent', 'sendMessage', () => user('x', { role: 'ROLE_AGENT' }), ['message.role']),
  invalid('several faults', 'sendStreamingMessage', () => user('', { messageId: '', role: 'ROLE_AGENT', parts: [{}] }), [
    'message.messageId',
    'message.role',
    'message.parts[0]',
  ]),
  invalid('an id that is too long', 'sendMessage', () => user('x', { messageId: 'm'.repeat(257) }), ['message.messageId']),
  invalid('NUL in an id', 'sendMessage', () => user('x', { contextId: 'a\0b' }), ['message.contextId']),
  invalid('too many parts', 'sendMessage', () => user('', { parts: Array(1001).fill({ text: '' }) }), ['message.parts']),
  invalid('metadata that is too deep', 'sendMessage', () => ({ ...user('x'), metadata: { a: nested(30) } }), ['metadata']),
  invalid('data that is too deep', 'sendMessage', () => user('', { parts: [{ data: nested(31) }] }), ['message.parts[0].data']),
  invalid('too many extensions', 'sendMessage', () => user('x', { extensions: Array(101).fill('e') }), ['message.extensions']),
  invalid('a key that is too long', 'sendMessage', () => user('x'), ['Idempotency-Key'], { 'idempotency-key': 'k'.repeat(300) }),
  invalid('a negative history of an answer', 'sendMessage', () => configured({ historyLength: -1 }), [
    'configuration.historyLength',
  ]),
  invalid('a negative history', 'getTask', ({ done }) => ({ id: done, historyLength: -1 }), ['historyLength']),
  invalid('a page that is too large', 'listTasks', () => ({ pageSize: 101 }), ['pageSize']),
  invalid('an empty page', 'listTasks', () => ({ pageSize: 0 }), ['pageSize']),
  invalid('a negative history of tasks', 'listTasks', () => ({ historyLength: -1 }), ['historyLength']),
  invalid('a token that is none', 'listTasks', () => ({ pageToken: 'x' }), ['pageToken']),
  invalid('a resume after no number', 'subscribeToTask', ({ asking }) => ({ id: asking }), ['Last-Event-ID'], {
    'last-event-id': 'x',
  }),
  invalid('a resume after what was not yet', 'subscribeToTask', ({ asking }) => ({ id: asking }), ['Last-Event-ID'], {
    'last-event-id': '999',
  }),
];

describe('the three bindings refuse alike', () => {
  // With 0.3, a request without a version is one of 0.3, which gRPC has a service of its own for.
  const cluster = useCluster({ apis: 1, workers: 1, env: { A2A_V03: 'off', BODY_LIMIT: '100000' } });
  const opened: ThreeBindings[] = [];
  let tasks: Tasks;

  const bindings = (agentId = 'script'): ThreeBindings => {
    const three = new ThreeBindings({ url: cluster.apiUrl(0), grpcAddress: cluster.grpcAddress(0) }, agentId);
    opened.push(three);
    return three;
  };
  const client = (): A2AClient => new A2AClient(cluster.apiUrl(0)).agent('script');

  beforeAll(async () => {
    const done: Task = await client().sendForTask('complete done');
    const asking: Task = await client().sendForTask('input which?', { contextId: 'asked' });
    tasks = { done: done.id, asking: asking.id };
  }, 30_000);
  afterAll(() => opened.forEach((three) => three.close()));

  const cases = [...ABOUT_TASKS, ...NOT_OFFERED, ...INVALID];
  it.each(cases)('$error: $what', async ({ error, operation, request, headers, agent, fields }) => {
    const fixed = request(tasks);
    const outcome = await bindings(agent).same(operation, () => fixed, headers);
    const { reason, domain } = ERROR_TABLE[error];
    const violations = fields?.map((field) => expect.objectContaining({ field }));
    expect(outcome).toMatchObject({
      error: {
        details: [
          expect.objectContaining({ reason, domain }),
          ...(violations ? [expect.objectContaining({ fieldViolations: violations })] : []),
        ],
      },
    });
  });

  it('InvalidParamsError: a key that was used for another message', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    await client().with(headers).send('complete first');
    const outcome = await bindings().same('sendMessage', () => user('complete second'), headers);
    expect(outcome).toMatchObject({
      error: { details: [{ reason: 'INVALID_PARAMS' }, { fieldViolations: [{ field: 'Idempotency-Key' }] }] },
    });
  });

  it('InvalidParamsError: a token with filters that it is not of', async () => {
    await client().sendForTask('complete done', { contextId: 'paged' });
    await client().sendForTask('complete done', { contextId: 'paged' });
    const { nextPageToken: pageToken } = await client().list({ contextId: 'paged', pageSize: 1 });
    expect(pageToken).not.toBe('');
    const outcome = await bindings().same('listTasks', () => ({ contextId: 'another', pageToken }));
    expect(outcome).toMatchObject({
      error: { details: [{ reason: 'INVALID_PARAMS' }, { fieldViolations: [{ field: 'pageToken' }] }] },
    });
  });

  it('PayloadTooLargeError: a message above the limit; over gRPC its code alone, since the transport refuses before anything is read', async () => {
    const [jsonRpc, httpJson, grpc] = bindings().all as [Binding, Binding, Binding];
    const request = user('x'.repeat(100_000));
    const refused = await outcomeOf(jsonRpc, 'sendMessage', request);
    expect(refused).toMatchObject({ error: { details: [{ reason: 'PAYLOAD_TOO_LARGE' }] } });
    expect(await outcomeOf(httpJson, 'sendMessage', request)).toEqual(refused);
    const error = await grpc.unary('sendMessage', request).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(GrpcError);
    expect(status[(error as GrpcError).code]).toBe(ERROR_TABLE.PayloadTooLargeError.grpc);
    expect((error as GrpcError).message).toContain('100000');
  });
});
