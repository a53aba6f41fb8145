import { connect, constants } from 'node:http2';
import { join } from 'node:path';
import { fromBinary, fromJson, toBinary, toJson } from '@bufbuild/protobuf';
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt';
import { Client, credentials, Metadata, status, type ServiceError } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { createRequire } from 'node:module';
import { SILENT, type AnnouncedAgent, type FrameStream, type RequestHandler } from '#core';
import { AgentNotFoundError, DEFAULT_LIMITS } from '#protocol';
import { ServedCards } from '../agent-card/served-card.js';
import { Cors } from '../cors.js';
import { loadDescriptors } from './descriptors.js';
import { GrpcServer } from './grpc-server.js';

const descriptors = loadDescriptors(join(import.meta.dirname, '../../../../proto'));
const METHODS = descriptors.registry.getService('lf.a2a.v1.A2AService')?.methods ?? [];
const pathOf = (name: string): string => `/lf.a2a.v1.A2AService/${name}`;
const inputOf = (name: string) => METHODS.find((method) => method.name === name)?.input as never;
const encode = (name: string, json: object): Buffer =>
  Buffer.from(toBinary(inputOf(name), fromJson(inputOf(name), json as never)));
const same = (bytes: Buffer): Buffer => bytes;
const TASK = '{"id":"t1","contextId":"c1","status":{"state":"TASK_STATE_COMPLETED"}}';

const HTTP2_HEADERS = { ':method': 'POST', 'content-type': 'application/grpc', te: 'trailers', 'a2a-version': '1.0' };

describe('GrpcServer', () => {
  const agent = {
    id: 'echo',
    card: { capabilities: { extensions: [{ uri: 'https://e.example/x' }] } },
  } as unknown as AnnouncedAgent;
  const find = async (id: string): Promise<AnnouncedAgent> => {
    if (id !== 'echo') throw new AgentNotFoundError(id);
    return agent;
  };
  let handler: Partial<RequestHandler>;
  let ready: boolean;
  let server: GrpcServer;
  let client: Client;
  let port: number;

  beforeEach(async () => {
    handler = { getTask: async () => TASK };
    ready = true;
    const host = {
      handler: new Proxy({} as RequestHandler, { get: (_, name) => handler[name as keyof RequestHandler] }),
      agents: { find, findDefault: () => find('echo'), list: async () => [] },
      limits: DEFAULT_LIMITS,
      cors: new Cors(['*']),
      serveV03: false,
      cards: new ServedCards({ serveV03: false, logger: SILENT }),
      logger: SILENT,
    };
    const options = { bodyLimit: 1024 * 1024, stallMs: 300, readinessMs: 20, isReady: async () => ready };
    server = new GrpcServer(host, descriptors, options);
    port = await server.listen(0, '127.0.0.1');
    client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
  });
  afterEach(async () => {
    client.close();
    await server.close(0);
  });

  const metadataOf = (values: Readonly<Record<string, string>>): Metadata => {
    const metadata = new Metadata();
    for (const [key, value] of Object.entries({ 'a2a-version': '1.0', ...values })) metadata.set(key, value);
    return metadata;
  };
  const call = (path: string, bytes: Buffer, metadata = {}): Promise<Buffer> =>
    new Promise((resolve, reject) => {
      const done = (error: ServiceError | null, answer?: Buffer) => (error ? reject(error) : resolve(answer as Buffer));
      client.makeUnaryRequest(path, same, same, bytes, metadataOf(metadata), done);
    });
  const ask = (name: string, json: object, metadata = {}): Promise<Buffer> => call(pathOf(name), encode(name, json), metadata);

  it('answers each method of the service, the unsupported ones with the error of the capability', async () => {
    expect(METHODS).toHaveLength(11);
    const config = { taskId: 't', id: 'c' };
    expect(
      toJson(
        METHODS.find(({ name }) => name === 'GetTask')?.output as never,
        fromBinary(METHODS.find(({ name }) => name === 'GetTask')?.output as never, await ask('GetTask', { id: 't1' })),
      ),
    ).toEqual(JSON.parse(TASK));
    for (const name of ['Create', 'Get', 'Delete'].map((verb) => `${verb}TaskPushNotificationConfig`)) {
      await expect(ask(name, config)).rejects.toMatchObject({ code: status.FAILED_PRECONDITION });
    }
    await expect(ask('ListTaskPushNotificationConfigs', { taskId: 't' })).rejects.toMatchObject({
      code: status.FAILED_PRECONDITION,
    });
    await expect(ask('GetExtendedAgentCard', {})).rejects.toMatchObject({ code: status.FAILED_PRECONDITION });
  });

  it.each([
    [
      'no version, which is 0.3',
      'GetTask',
      { id: 't' },
      { 'a2a-version': '' },
      status.FAILED_PRECONDITION,
      /No A2A-Version was sent/,
    ],
    [
      'a version that is not served',
      'GetTask',
      { id: 't' },
      { 'a2a-version': '2.0' },
      status.FAILED_PRECONDITION,
      /2\.0 is not supported/,
    ],
    ['an unknown agent', 'GetTask', { id: 't', tenant: 'nobody' }, {}, status.NOT_FOUND, /Agent not found: nobody/],
    ['a bad tenant', 'GetTask', { id: 't', tenant: 'a/b/c' }, {}, status.INVALID_ARGUMENT, /tenant: /],
    ['no task id', 'GetTask', {}, {}, status.INVALID_ARGUMENT, /id/],
    ['no message', 'SendMessage', {}, {}, status.INVALID_ARGUMENT, /message/],
    [
      'a resume after no number',
      'SubscribeToTask',
      { id: 't' },
      { 'a2a-last-event-id': 'x' },
      status.INVALID_ARGUMENT,
      /Last-Event-ID/,
    ],
  ])('refuses %s', async (_what, name, request, metadata, code, details) => {
    const refused = name === 'SubscribeToTask' ? streamed(name, request, metadata) : ask(name, request, metadata);
    await expect(refused).rejects.toMatchObject({ code, details: expect.stringMatching(details) });
  });

  const streamed = async (name: string, request: object, metadata = {}): Promise<Buffer[]> => {
    const chunks: Buffer[] = [];
    const stream = client.makeServerStreamRequest(pathOf(name), same, same, encode(name, request), metadataOf(metadata));
    for await (const chunk of stream) chunks.push(chunk as Buffer);
    return chunks;
  };

  it('refuses an unknown method, bytes that are no request, and one that is too large', async () => {
    await expect(call(pathOf('Nothing'), Buffer.alloc(0))).rejects.toMatchObject({ code: status.UNIMPLEMENTED });
    await expect(call(pathOf('GetTask'), Buffer.from([0x0a, 0xff]))).rejects.toMatchObject({ code: status.INVALID_ARGUMENT });
    await expect(call(pathOf('GetTask'), Buffer.alloc(1024 * 1024 + 1))).rejects.toMatchObject({
      code: status.RESOURCE_EXHAUSTED,
    });
  });

  it('shows of an unforeseen error its id alone', async () => {
    handler = { getTask: () => Promise.reject(new Error('secret')) };
    await expect(ask('GetTask', { id: 't' })).rejects.toMatchObject({
      code: status.INTERNAL,
      details: expect.stringMatching(/^Internal error [-0-9a-f]{36}$/),
    });
  });

  it('echoes the activated extensions', async () => {
    const header = new Promise<Metadata>((resolve) => {
      const metadata = metadataOf({ 'a2a-extensions': 'https://e.example/x, https://e.example/y' });
      client
        .makeUnaryRequest(pathOf('GetTask'), same, same, encode('GetTask', { id: 't' }), metadata, () => undefined)
        .on('metadata', resolve);
    });
    expect((await header).get('a2a-extensions')).toEqual(['https://e.example/x']);
  });

  it('frees a send whose client goes away', async () => {
    let signal: AbortSignal | undefined;
    const begun = new Promise<void>((resolve) => {
      handler = {
        sendMessage: (_ctx, _request, given) => {
          signal = given;
          resolve();
          return new Promise((_, reject) => given?.addEventListener('abort', () => reject(new Error('gone'))));
        },
      };
    });
    const request = encode('SendMessage', { message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'x' }] } });
    const sent = client.makeUnaryRequest(pathOf('SendMessage'), same, same, request, metadataOf({}), () => undefined);
    await begun;
    const aborted = new Promise((resolve) => signal?.addEventListener('abort', resolve));
    sent.cancel();
    await aborted;
  });

  /** Endless, of 64 KiB a frame; counts what was pulled. */
  const endless = (): { stream: FrameStream; pulled: () => number; closed: Promise<void> } => {
    let pulled = 0;
    let close = (): void => undefined;
    let open = true;
    const closed = new Promise<void>((resolve) => (close = resolve));
    const payload = JSON.stringify({ message: { messageId: 'm', role: 'ROLE_AGENT', parts: [{ text: 'x'.repeat(65_536) }] } });
    const stream: FrameStream = {
      close: () => {
        open = false;
        close();
      },
      async *[Symbol.asyncIterator]() {
        while (open) {
          await new Promise(setImmediate);
          yield [{ sequence: (pulled += 1), payload: payload as never }];
        }
      },
    };
    return { stream, pulled: () => pulled, closed };
  };

  it('pulls nothing for a stream that is not read, and cuts it when nothing moves', async () => {
    const { stream, pulled, closed } = endless();
    handler = { subscribeToTask: async () => stream };
    // grpc-js as a client keeps what nobody reads: HTTP/2 itself does not.
    const session = connect(`http://127.0.0.1:${port}`);
    const open = session.request({ ...HTTP2_HEADERS, ':path': pathOf('SubscribeToTask') });
    const cut = new Promise<number>((resolve) => open.on('close', () => resolve(open.rstCode)));
    open.on('error', () => undefined);
    const request = encode('SubscribeToTask', { id: 't' });
    open.end(Buffer.concat([Buffer.from([0, 0, 0, 0, request.length]), request]));
    await closed;
    expect(pulled()).toBeLessThan(100);
    expect(await cut).toBe(constants.NGHTTP2_CANCEL);
    session.destroy();
  });

  it('frees a stream whose client cancels', async () => {
    const { stream, closed } = endless();
    handler = { subscribeToTask: async () => stream };
    const request = encode('SubscribeToTask', { id: 't' });
    const open = client.makeServerStreamRequest(pathOf('SubscribeToTask'), same, same, request, metadataOf({}));
    open.on('error', () => undefined);
    open.once('data', () => open.cancel());
    await closed;
  });

  it('tells an error in mid-stream as the end of the call', async () => {
    handler = {
      subscribeToTask: async () => ({
        close: () => undefined,
        async *[Symbol.asyncIterator]() {
          yield [{ sequence: 7, payload: `{"task":${TASK}}` as never }];
          throw new Error('secret');
        },
      }),
    };
    await expect(streamed('SubscribeToTask', { id: 't' })).rejects.toMatchObject({ code: status.INTERNAL });
  });

  const HEALTH = loadSync('health/v1/health.proto', {
    enums: String,
    includeDirs: [join(createRequire(import.meta.url).resolve('grpc-health-check/package.json'), '../proto')],
  })['grpc.health.v1.Health'] as never as Record<
    string,
    { requestSerialize(v: object): Buffer; responseDeserialize(b: Buffer): { status: string } }
  >;
  const healthOf = async (service: string): Promise<string> => {
    const { Check } = HEALTH as { Check: (typeof HEALTH)[string] };
    return Check.responseDeserialize(await call('/grpc.health.v1.Health/Check', Check.requestSerialize({ service }))).status;
  };

  it('is healthy while it is ready', async () => {
    for (const service of ['', 'lf.a2a.v1.A2AService']) expect(await healthOf(service)).toBe('SERVING');
    ready = false;
    while ((await healthOf('')) !== 'NOT_SERVING');
    ready = true;
    while ((await healthOf('lf.a2a.v1.A2AService')) !== 'SERVING');
  });

  it('takes no call while it closes, and waits for those under way', async () => {
    let answer = (_: string): void => undefined;
    const begun = new Promise<void>((resolve) => {
      handler = {
        getTask: () => {
          resolve();
          return new Promise((done) => (answer = done as never));
        },
      };
    });
    const under = ask('GetTask', { id: 't1' });
    await begun;
    const closed = server.close(10_000);
    await expect(ask('GetTask', { id: 't1' })).rejects.toMatchObject({ code: status.UNAVAILABLE });
    answer(TASK);
    await under;
    await closed;
  });

  it('describes itself completely to those who ask for reflection', () => {
    const files = descriptors.files.map((bytes) => fromBinary(FileDescriptorProtoSchema, bytes));
    expect(files.map(({ name }) => name)).toEqual([
      'google/protobuf/empty.proto',
      'google/protobuf/struct.proto',
      'google/protobuf/timestamp.proto',
      'lf/a2a/v1/a2a.proto',
      'a2a/v1/a2a.proto',
    ]);
    const names = new Set(files.flatMap((file) => file.messageType.map(({ name }) => `.${file.package}.${name}`)));
    const methods = files.flatMap(({ service }) => service.flatMap(({ method }) => method));
    expect(methods).toHaveLength(11 + 10);
    for (const { inputType, outputType } of methods) {
      expect(names).toContain(inputType);
      expect(names).toContain(outputType);
    }
  });
});
