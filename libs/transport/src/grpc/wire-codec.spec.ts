import { join } from 'node:path';
import { A2AService } from '@a2a-js/sdk/server/grpc';
import { fromBinary, fromJson, toBinary, toJson, type JsonValue } from '@bufbuild/protobuf';
import { OPERATIONS, type OperationName } from '#protocol';
import { loadDescriptors } from './descriptors.js';
import { SERVICE_V1 } from './grpc-service.js';
import { WireCodec } from './wire-codec.js';

const descriptors = loadDescriptors(join(import.meta.dirname, '../../../../proto'));
const codecs = new Map(WireCodec.all(descriptors, SERVICE_V1).map((codec) => [codec.operation, codec]));
const codecOf = (operation: OperationName): WireCodec => codecs.get(operation) as WireCodec;
const methodOf = (operation: OperationName) => {
  const method = descriptors.registry
    .getService('lf.a2a.v1.A2AService')
    ?.methods.find(({ name }) => name === OPERATIONS[operation].method);
  if (!method) throw new Error(operation);
  return method;
};

/** What the request decodes to. */
const decoded = (operation: OperationName, request: JsonValue): unknown => {
  const { input } = methodOf(operation);
  return codecOf(operation).decode(toBinary(input, fromJson(input, request)));
};
/** What a client reads of the answer. */
const received = (operation: OperationName, answer: unknown): unknown => {
  const { output } = methodOf(operation);
  return toJson(output, fromBinary(output, codecOf(operation).encode(JSON.stringify(answer))));
};

const VALUES: JsonValue[] = [
  null,
  true,
  false,
  0,
  -1.5,
  1e21,
  9007199254740991,
  '',
  'ä€😀',
  [],
  {},
  [1, [null, { a: [] }]],
  { a: { b: null } },
];
const metadata: Record<string, JsonValue> = { text: 'x', number: 1.25, list: VALUES, nothing: null, object: {} };
const parts: JsonValue[] = [
  { text: '' },
  { text: 'ä€😀\u0000\n', mediaType: 'text/plain' },
  { raw: 'AAECAwT/', filename: 'f.bin', mediaType: 'application/octet-stream' },
  { raw: '' },
  { url: 'https://a.example/x?y=ä' },
  ...VALUES.map((data) => ({ data })),
  { data: { deep: [{ er: 1 }] }, metadata },
];
const message = {
  messageId: 'm',
  contextId: 'c',
  taskId: 't',
  role: 'ROLE_AGENT',
  parts,
  metadata,
  extensions: ['u:e'],
  referenceTaskIds: ['r'],
};
const states = ['SUBMITTED', 'WORKING', 'COMPLETED', 'FAILED', 'CANCELED', 'INPUT_REQUIRED', 'REJECTED', 'AUTH_REQUIRED'].map(
  (name) => `TASK_STATE_${name}`,
);
const artifact = { artifactId: 'a', name: 'n', description: 'd', parts, metadata, extensions: ['u:e'] };
const taskIn = (state: string) => ({
  id: 't',
  contextId: 'c',
  status: { state, message, timestamp: '2026-01-02T03:04:05.678Z' },
  artifacts: [artifact],
  history: [message],
  metadata,
});
const config = {
  id: 'p',
  taskId: 't',
  url: 'https://a.example',
  token: 'k',
  authentication: { scheme: 'Bearer', credentials: 'x' },
};
const card = {
  name: 'A',
  description: 'd',
  supportedInterfaces: [{ url: 'h:1', protocolBinding: 'GRPC', tenant: 't', protocolVersion: '1.0' }],
  provider: { url: 'https://p', organization: 'o' },
  version: '1',
  documentationUrl: 'https://d',
  capabilities: {
    streaming: false,
    pushNotifications: true,
    extensions: [{ uri: 'u', description: 'd', required: true, params: metadata }],
  },
  securitySchemes: {
    key: { apiKeySecurityScheme: { description: 'd', location: 'header', name: 'n' } },
    http: { httpAuthSecurityScheme: { scheme: 'Bearer', bearerFormat: 'JWT' } },
    oauth: {
      oauth2SecurityScheme: { flows: { deviceCode: { deviceAuthorizationUrl: 'd', tokenUrl: 't', scopes: { s: 'x' } } } },
    },
    code: {
      oauth2SecurityScheme: {
        flows: { authorizationCode: { authorizationUrl: 'a', tokenUrl: 't', scopes: { s: 'x' }, pkceRequired: true } },
      },
    },
    oidc: { openIdConnectSecurityScheme: { openIdConnectUrl: 'u' } },
    tls: { mtlsSecurityScheme: { description: 'd' } },
  },
  securityRequirements: [{ schemes: { key: { list: ['a'] } } }],
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['text/plain'],
  skills: [{ id: 's', name: 'S', description: 'd', tags: ['t'], examples: ['e'], inputModes: ['i'], outputModes: ['o'] }],
  signatures: [{ protected: 'p', signature: 's', header: { kid: 'k' } }],
  iconUrl: 'https://i',
};

const REQUESTS: [OperationName, JsonValue][] = [
  [
    'sendMessage',
    {
      message,
      metadata,
      configuration: {
        acceptedOutputModes: ['a/b'],
        historyLength: 0,
        returnImmediately: true,
        taskPushNotificationConfig: config,
      },
    },
  ],
  ['sendStreamingMessage', { tenant: 'a/b', message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'x' }] } }],
  ['getTask', { tenant: 'a', id: 't', historyLength: 0 }],
  [
    'listTasks',
    {
      contextId: 'c',
      status: 'TASK_STATE_AUTH_REQUIRED',
      pageSize: 0,
      pageToken: 'p',
      historyLength: 3,
      statusTimestampAfter: '2026-01-02T03:04:05.678Z',
      includeArtifacts: false,
    },
  ],
  ['cancelTask', { id: 't', metadata }],
  ['subscribeToTask', { id: 't' }],
  ['createTaskPushNotificationConfig', { tenant: 'a', ...config }],
  ['getTaskPushNotificationConfig', { tenant: 'a', taskId: 't', id: 'p' }],
  ['listTaskPushNotificationConfigs', { tenant: 'a', taskId: 't', pageSize: 7, pageToken: 'x' }],
  ['deleteTaskPushNotificationConfig', { tenant: 'a', taskId: 't', id: 'p' }],
  ['getExtendedAgentCard', { tenant: 'a' }],
];
const ANSWERS: [OperationName, unknown][] = [
  ['sendMessage', { task: taskIn('TASK_STATE_COMPLETED') }],
  ['sendMessage', { message }],
  ...states.map((state): [OperationName, unknown] => ['getTask', taskIn(state)]),
  ['sendStreamingMessage', { statusUpdate: { taskId: 't', contextId: 'c', status: { state: 'TASK_STATE_WORKING' }, metadata } }],
  ['subscribeToTask', { artifactUpdate: { taskId: 't', contextId: 'c', artifact, append: true, lastChunk: true, metadata } }],
  ['listTasks', { tasks: [taskIn('TASK_STATE_WORKING')], nextPageToken: 'n', pageSize: 1, totalSize: 2 }],
  ['cancelTask', taskIn('TASK_STATE_CANCELED')],
  ['createTaskPushNotificationConfig', config],
  ['listTaskPushNotificationConfigs', { configs: [config], nextPageToken: 'n' }],
  ['deleteTaskPushNotificationConfig', {}],
  ['getExtendedAgentCard', card],
];

describe('WireCodec', () => {
  it.each(REQUESTS)('reads a request of %s as it was meant', (operation, request) => {
    expect(decoded(operation, request)).toEqual(request);
  });

  it.each(ANSWERS)('writes an answer of %s that reads as it was', (operation, answer) => {
    expect(received(operation, answer)).toEqual(answer);
  });

  it.each(REQUESTS)('means by the bytes of a request of %s what the official library means', (operation, request) => {
    const { input } = methodOf(operation);
    const { requestDeserialize, requestSerialize } = A2AService[operation];
    const bytes = toBinary(input, fromJson(input, request));
    const again = requestSerialize(requestDeserialize(Buffer.from(bytes)) as never);
    expect(again.length).toBe(bytes.length);
    expect(toJson(input, fromBinary(input, again))).toEqual(request);
  });

  it.each(ANSWERS)('means by the bytes of an answer of %s what the official library means', (operation, answer) => {
    const { output } = methodOf(operation);
    const { responseDeserialize, responseSerialize } = A2AService[operation];
    const bytes = codecOf(operation).encode(JSON.stringify(answer));
    const again = responseSerialize(responseDeserialize(bytes) as never);
    expect(again.length).toBe(bytes.length);
    expect(toJson(output, fromBinary(output, again))).toEqual(answer);
  });

  it('keeps all digits of a time', () => {
    const statusTimestampAfter = '2026-01-02T03:04:05.678901Z';
    expect(decoded('listTasks', { statusTimestampAfter })).toEqual({ statusTimestampAfter });
  });

  it('leaves out what has its default value, and no optional that was set', () => {
    expect(decoded('getTask', { id: '', tenant: '' })).toEqual({});
    expect(decoded('listTasks', { status: 'TASK_STATE_UNSPECIFIED', includeArtifacts: false, pageSize: 0 })).toEqual({
      includeArtifacts: false,
      pageSize: 0,
    });
  });

  it.each([
    ['bytes that are no protobuf', Buffer.from([0x0a, 0xff])],
    ['text that is no UTF-8', Buffer.from([0x12, 0x01, 0xff])],
    ['an endless group', Buffer.alloc(1000, 0x0b)],
  ])('refuses %s as the client’s fault', (_what, bytes) => {
    expect(() => codecOf('getTask').decode(bytes)).toThrow(expect.objectContaining({ name: 'InvalidParamsError' }));
  });

  it('writes a replacement for half a surrogate pair, which JSON can hold and protobuf cannot', () => {
    const half = {
      message: { messageId: 'm', role: 'ROLE_AGENT', parts: [{ text: 'a\ud83d', metadata: { '\\ud83d': '\\\ud83d' } }] },
    };
    expect(received('sendMessage', half)).toEqual({
      message: { messageId: 'm', role: 'ROLE_AGENT', parts: [{ text: 'a\ufffd', metadata: { '\\ud83d': '\\\ufffd' } }] },
    });
  });
});
