import { join } from 'node:path';
import { fromBinary, fromJson, toBinary, toJson, type DescMethod } from '@bufbuild/protobuf';
import { Client, credentials, Metadata, status, type ServiceError } from '@grpc/grpc-js';
import { ANYONE, SILENT, type AnnouncedAgent, type CallContext, type FrameStream, type RequestHandler } from '#core';
import { DEFAULT_LIMITS, UnauthenticatedError } from '#protocol';
import { Cors } from '../cors.js';
import type { Host } from '../host.js';
import { loadDescriptors } from './descriptors.js';
import { ServedCards } from '../agent-card/served-card.js';
import { GrpcServer } from './grpc-server.js';
import { SERVICE_V03, SERVICE_V1 } from './grpc-service.js';

const descriptors = loadDescriptors(join(import.meta.dirname, '../../../../proto'));
const STATUS = { state: 'TASK_STATE_CANCELED', timestamp: '2026-01-02T03:04:05.006Z' };
const TASK = { id: 't1', contextId: 'c1', status: STATUS };
const same = (bytes: Buffer): Buffer => bytes;

function methodOf(service: string, name: string): DescMethod {
  const method = descriptors.registry.getService(service)?.methods.find((one) => one.name === name);
  if (!method) throw new Error(`${service} has no ${name}`);
  return method;
}

interface Called {
  readonly operation: string;
  readonly ctx: CallContext;
  readonly request: unknown;
  readonly lastEventId?: number;
}

/** A server over a handler that answers with `TASK` and keeps what it was asked. */
class Fixture {
  readonly calls: Called[] = [];
  #server!: GrpcServer;
  #client!: Client;

  async start(serveV03: boolean, authentication?: Host['authentication']): Promise<void> {
    const capabilities = { extensions: [{ uri: 'urn:x' }] };
    const skills = [{ id: 's', name: 'S', description: 'd', tags: ['t'] }];
    const card = { name: 'Echo', description: 'Echoes', version: '1', defaultInputModes: ['text/plain'], skills, capabilities };
    const extendedCard = { skills: [{ id: 'more', name: 'More', description: 'd', tags: ['t'] }] };
    const agent = { id: 'echo', card, extendedCard, updatedAt: 1 } as unknown as AnnouncedAgent;
    const answers = {
      sendMessage: { task: TASK },
      getTask: TASK,
      cancelTask: TASK,
    };
    const handler = new Proxy({} as RequestHandler, {
      get: (_, operation: string) => async (ctx: CallContext, request: unknown, third: unknown) => {
        this.calls.push({ operation, ctx, request, ...(typeof third === 'number' ? { lastEventId: third } : {}) });
        return operation in answers ? JSON.stringify(answers[operation as keyof typeof answers]) : frames();
      },
    });
    const agents = { find: async () => agent, findDefault: async () => agent, list: async () => [agent] };
    const host = {
      handler,
      agents,
      limits: DEFAULT_LIMITS,
      cors: new Cors([]),
      serveV03,
      cards: new ServedCards({ serveV03, logger: SILENT, ...(authentication && { authentication }) }),
      logger: SILENT,
      authentication,
    } as Host;
    const options = { bodyLimit: 1024 * 1024, stallMs: 1000, readinessMs: 1000, isReady: async () => true };
    this.#server = new GrpcServer(host, descriptors, options);
    this.#client = new Client(`127.0.0.1:${await this.#server.listen(0, '127.0.0.1')}`, credentials.createInsecure());
  }

  async stop(): Promise<void> {
    this.#client.close();
    await this.#server.close(0);
  }

  /** The answer as ProtoJSON, and its metadata; those of a stream as a list. */
  async call(service: string, name: string, request: object, metadata: Readonly<Record<string, string>> = {}) {
    const { input, output, methodKind } = methodOf(service, name);
    const bytes = Buffer.from(toBinary(input, fromJson(input, request as never)));
    const read = (answer: Buffer): unknown => toJson(output, fromBinary(output, answer));
    const sent = new Metadata();
    for (const [key, value] of Object.entries(metadata)) sent.set(key, value);
    const path = `/${service}/${name}`;
    let received = new Metadata();
    if (methodKind === 'server_streaming') {
      const stream = this.#client.makeServerStreamRequest(path, same, same, bytes, sent);
      stream.on('metadata', (given) => (received = given));
      const answers: unknown[] = [];
      for await (const chunk of stream) answers.push(read(chunk as Buffer));
      return { answer: answers, metadata: received };
    }
    return new Promise<{ answer: unknown; metadata: Metadata }>((resolve, reject) => {
      const done = (error: ServiceError | null, answer?: Buffer): void =>
        error ? reject(error) : resolve({ answer: read(answer as Buffer), metadata: received });
      this.#client.makeUnaryRequest(path, same, same, bytes, sent, done).on('metadata', (given) => (received = given));
    });
  }
}

function frames(): FrameStream {
  const payloads = [
    { task: { ...TASK, status: { state: 'TASK_STATE_WORKING' } } },
    { statusUpdate: { taskId: 't1', contextId: 'c1', status: STATUS } },
  ];
  return {
    close: () => undefined,
    async *[Symbol.asyncIterator]() {
      yield payloads.map((payload, i) => ({
        sequence: 5 + i,
        payload: JSON.stringify(payload) as never,
        ...(i === payloads.length - 1 ? { last: true as const } : {}),
      }));
    },
  };
}

const V03_TASK = { ...TASK, status: { ...STATUS, state: 'TASK_STATE_CANCELLED' } };
const MESSAGE = { messageId: 'm', role: 'ROLE_USER', content: [{ text: 'hi' }] };

describe('gRPC, while 0.3 is served', () => {
  const api = new Fixture();
  beforeAll(() => api.start(true));
  afterAll(() => api.stop());
  beforeEach(() => void (api.calls.length = 0));
  const v03 = (name: string, request: object, metadata = {}) => api.call(SERVICE_V03.name, name, request, metadata);

  it.each([
    [
      'SendMessage',
      { message: MESSAGE },
      'sendMessage',
      { message: { messageId: 'm', parts: [{ text: 'hi' }] } },
      { task: V03_TASK },
    ],
    ['GetTask', { name: 'tasks/t1', historyLength: 3 }, 'getTask', { id: 't1', historyLength: 3 }, V03_TASK],
    ['GetTask', { name: 'tasks/t1' }, 'getTask', { id: 't1' }, V03_TASK],
    ['CancelTask', { name: 'tasks/t1' }, 'cancelTask', { id: 't1' }, V03_TASK],
  ])('%s %j is %s', async (name, request, operation, parsed, answer) => {
    expect((await v03(name, request)).answer).toEqual(answer);
    expect(api.calls).toMatchObject([{ operation, ctx: { agentId: 'echo', tenant: '' }, request: parsed }]);
  });

  it.each([
    ['SendStreamingMessage', { message: MESSAGE }, 'sendStreamingMessage', {}],
    ['TaskSubscription', { name: 'tasks/t1' }, 'subscribeToTask', { 'a2a-last-event-id': '5' }],
  ])('%s streams, and says which event is the last', async (name, request, operation, resumed) => {
    const { answer, metadata } = await v03(name, request, resumed);
    expect(answer).toEqual([
      { task: { ...TASK, status: { state: 'TASK_STATE_WORKING' } } },
      { statusUpdate: { taskId: 't1', contextId: 'c1', status: V03_TASK.status, final: true } },
    ]);
    expect(metadata.get('a2a-event-id')).toEqual(['5']);
    expect(api.calls).toMatchObject([{ operation, ...('a2a-last-event-id' in resumed ? { lastEventId: 5 } : {}) }]);
  });

  it.each([
    [null, undefined],
    [{}, true],
    [{ blocking: true }, false],
  ])('the configuration %j sets returnImmediately to %j: protobuf leaves false out', async (configuration, expected) => {
    await v03('SendMessage', { message: MESSAGE, configuration });
    const { request } = api.calls[0] as { request: { configuration?: { returnImmediately?: boolean } } };
    expect(request.configuration?.returnImmediately ?? undefined).toBe(expected);
  });

  it('extensions have the name that they had', async () => {
    const { metadata } = await v03('GetTask', { name: 'tasks/t1' }, { 'x-a2a-extensions': 'urn:x, urn:y' });
    expect([metadata.get('x-a2a-extensions'), metadata.get('a2a-extensions')]).toEqual([['urn:x'], []]);
    expect(api.calls[0]?.ctx.extensions).toEqual(['urn:x']);
  });

  it.each([
    ['GetTask', { name: 'tasks/t1' }, { 'a2a-version': '0.3' }],
    ['GetTask', { name: 'tasks/t1' }, { 'a2a-version': '0.3.0' }],
  ])('%s %j with %j is one of 0.3', async (name, request, metadata) => {
    expect((await v03(name, request, metadata)).answer).toEqual(V03_TASK);
  });

  const refusals: [string, string, object, object, keyof typeof status, string][] = [
    [SERVICE_V03.name, 'GetTask', {}, {}, 'INVALID_ARGUMENT', 'id'],
    [SERVICE_V03.name, 'SendMessage', { message: { ...MESSAGE, content: [{}] } }, {}, 'INVALID_ARGUMENT', 'message.content[0]'],
    [SERVICE_V03.name, 'SendMessage', {}, {}, 'INVALID_ARGUMENT', 'message'],
    [SERVICE_V03.name, 'GetTask', { name: 'tasks/t1' }, { 'a2a-version': '1.0' }, 'UNIMPLEMENTED', SERVICE_V1.name],
    [SERVICE_V03.name, 'GetTask', { name: 'tasks/t1' }, { 'a2a-version': '9.9' }, 'FAILED_PRECONDITION', '1.0, 0.3'],
    [SERVICE_V03.name, 'GetAgentCard', {}, {}, 'FAILED_PRECONDITION', 'not support'],
    [SERVICE_V03.name, 'CreateTaskPushNotificationConfig', { parent: 'tasks/t' }, {}, 'FAILED_PRECONDITION', 'push'],
    [SERVICE_V03.name, 'GetTaskPushNotificationConfig', {}, {}, 'FAILED_PRECONDITION', 'push'],
    [SERVICE_V03.name, 'ListTaskPushNotificationConfig', {}, {}, 'FAILED_PRECONDITION', 'push'],
    [SERVICE_V03.name, 'DeleteTaskPushNotificationConfig', {}, {}, 'FAILED_PRECONDITION', 'push'],
    [SERVICE_V1.name, 'GetTask', { id: 't1' }, {}, 'FAILED_PRECONDITION', `The service of A2A 0.3 is ${SERVICE_V03.name}`],
    [SERVICE_V1.name, 'GetTask', { id: 't1' }, { 'a2a-version': '9.9' }, 'FAILED_PRECONDITION', 'supported: 1.0'],
  ];
  it.each(refusals)('%s %s %j with %j is refused with %s: %s', async (service, name, request, metadata, code, details) => {
    await expect(api.call(service, name, request, metadata as Record<string, string>)).rejects.toMatchObject({
      code: status[code],
      details: expect.stringContaining(details),
    });
    expect(api.calls).toEqual([]);
  });

  it('the service of 1.0 is as ever', async () => {
    const { answer } = await api.call(SERVICE_V1.name, 'GetTask', { id: 't1' }, { 'a2a-version': '1.0' });
    expect(answer).toEqual(TASK);
  });
});

describe('gRPC, while 0.3 is not served', () => {
  const api = new Fixture();
  beforeAll(() => api.start(false));
  afterAll(() => api.stop());

  it.each([
    [SERVICE_V03.name, { name: 'tasks/t1' }, 'A2A version 0.3 is not supported; supported: 1.0'],
    [SERVICE_V1.name, { id: 't1' }, 'Send `A2A-Version: 1.0`'],
  ])('%s without a version is refused', async (service, request, details) => {
    await expect(api.call(service, 'GetTask', request)).rejects.toMatchObject({
      code: status.FAILED_PRECONDITION,
      details: expect.stringContaining(details),
    });
    expect(api.calls).toEqual([]);
  });
});

describe('gRPC, with authentication', () => {
  const api = new Fixture();
  const refuse = (): Promise<never> => Promise.reject(new UnauthenticatedError('A credential is needed', 'Bearer'));
  beforeAll(() => api.start(true, { schemes: {}, authenticate: refuse }));
  afterAll(() => api.stop());

  const services = [SERVICE_V1, SERVICE_V03].flatMap(({ name, methods }) =>
    [...methods.values()].map((method) => [name, method]),
  );
  it.each(services as [string, string][])('%s %s lets nobody in without a credential', async (service, method) => {
    await expect(api.call(service, method, {})).rejects.toMatchObject({ code: status.UNAUTHENTICATED });
    expect(api.calls).toEqual([]);
  });
});

describe('gRPC, for who may see the extended card', () => {
  const api = new Fixture();
  const caller = { ...ANYONE, tenant: 'acme' };
  const schemes = { apiKey: { apiKeySecurityScheme: { location: 'header', name: 'X-API-Key' } } } as const;
  beforeAll(() => api.start(true, { schemes, authenticate: async () => caller }));
  afterAll(() => api.stop());

  const ofBoth = {
    name: 'Echo',
    skills: [{ id: 's' }, { id: 'more' }],
    securitySchemes: { apiKey: { apiKeySecurityScheme: { location: 'header', name: 'X-API-Key' } } },
  };
  const requirements = [{ schemes: { apiKey: { list: ['tasks:write', 'tasks:read'] } } }];

  it('1.0 answers with it', async () => {
    const { answer } = await api.call(SERVICE_V1.name, 'GetExtendedAgentCard', {}, { 'a2a-version': '1.0' });
    expect(answer).toMatchObject({
      ...ofBoth,
      securityRequirements: requirements,
      capabilities: { streaming: true, pushNotifications: false, extendedAgentCard: true },
    });
  });

  it('0.3 answers with it in its own form', async () => {
    const { answer } = await api.call(SERVICE_V03.name, 'GetAgentCard', {});
    expect(answer).toMatchObject({
      ...ofBoth,
      security: requirements,
      protocolVersion: '0.3.0',
      preferredTransport: 'JSONRPC',
      supportsAuthenticatedExtendedCard: true,
    });
  });

  it('another tenant than that of the credential is denied', async () => {
    const asked = api.call(SERVICE_V1.name, 'GetExtendedAgentCard', { tenant: 'echo/umbrella' }, { 'a2a-version': '1.0' });
    await expect(asked).rejects.toMatchObject({ code: status.PERMISSION_DENIED });
  });
});
