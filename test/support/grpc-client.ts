import { fromBinary, fromJson, toBinary, toJson, type DescMethod, type JsonValue } from '@bufbuild/protobuf';
import { Client, credentials, Metadata, type ClientReadableStream, type ServiceError } from '@grpc/grpc-js';
import { protoDirectory } from '#platform';
import { loadDescriptors } from '#transport';
import type { Received } from './a2a-client.js';
import { GrpcError } from './grpc-status.js';

export interface GrpcCallOptions {
  readonly metadata?: Readonly<Record<string, string>>;
  readonly deadlineMs?: number;
  readonly signal?: AbortSignal;
}

const methods = new Map(
  loadDescriptors(protoDirectory)
    .registry.getService('lf.a2a.v1.A2AService')
    ?.methods.map((method) => [method.name, method]),
);

/** A plain gRPC client for tests: requests and answers as ProtoJSON, every metadata visible, no retries. */
export class GrpcClient {
  readonly channel: Client;

  constructor(
    address: string,
    /** As cards have it; `''` for the default agent. */
    private readonly tenant = '',
    private readonly metadata: Readonly<Record<string, string>> = { 'a2a-version': '1.0' },
  ) {
    const limits = { 'grpc.max_receive_message_length': 64 * 1024 * 1024, 'grpc.use_local_subchannel_pool': 1 };
    this.channel = new Client(address, credentials.createInsecure(), limits);
  }

  close(): void {
    this.channel.close();
  }

  // The shape is what each test is about.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  async call(name: string, request: object, options: GrpcCallOptions = {}): Promise<any> {
    const method = methodOf(name);
    const bytes = await this.bytes(`/${method.parent.typeName}/${name}`, this.encode(name, request), options);
    return toJson(method.output, fromBinary(method.output, bytes));
  }

  /** Any path, any bytes. */
  bytes(path: string, request: Buffer, options: GrpcCallOptions = {}): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      const done = (error: ServiceError | null, bytes?: Buffer): void =>
        error ? reject(new GrpcError(error)) : resolve(bytes as Buffer);
      const call = this.channel.makeUnaryRequest(path, same, same, request, this.metadataOf(options), deadlineOf(options), done);
      options.signal?.addEventListener('abort', () => call.cancel());
    });
  }

  /** Any path of any kind of method, any bytes: the messages of the answer. */
  async *answers(path: string, request: Buffer, options: GrpcCallOptions = {}): AsyncGenerator<Buffer> {
    const call = this.channel.makeServerStreamRequest(path, same, same, request, this.metadataOf(options), deadlineOf(options));
    try {
      yield* call as AsyncIterable<Buffer>;
    } catch (error) {
      throw new GrpcError(error as ServiceError);
    } finally {
      call.cancel();
    }
  }

  /** A stream that is not read yet. */
  open(name: string, request: object, options: GrpcCallOptions = {}): ClientReadableStream<Buffer> {
    const path = `/${methodOf(name).parent.typeName}/${name}`;
    const body = this.encode(name, request);
    return this.channel.makeServerStreamRequest(path, same, same, body, this.metadataOf(options), deadlineOf(options));
  }

  /** The frames; ending the iteration cancels the call. */
  async *frames(name: string, request: object, options: GrpcCallOptions = {}): AsyncGenerator<Received> {
    const call = this.open(name, request, options);
    const { output } = methodOf(name);
    let next: number | undefined;
    call.on('metadata', (metadata) => {
      const [first] = metadata.get('a2a-event-id');
      next = first === undefined ? undefined : Number(first);
    });
    try {
      for await (const bytes of call) {
        const id = next === undefined ? undefined : next++;
        yield { id, response: toJson(output, fromBinary(output, bytes as Buffer)) as never };
      }
    } catch (error) {
      throw new GrpcError(error as ServiceError);
    } finally {
      call.cancel();
    }
  }

  encode(name: string, request: object): Buffer {
    const { input } = methodOf(name);
    const addressed = { ...(this.tenant === '' ? {} : { tenant: this.tenant }), ...request };
    return Buffer.from(toBinary(input, fromJson(input, addressed as JsonValue)));
  }

  private metadataOf({ metadata }: GrpcCallOptions): Metadata {
    const all = new Metadata();
    for (const [key, value] of Object.entries({ ...this.metadata, ...metadata })) all.set(key, value);
    return all;
  }
}

const same = (bytes: Buffer): Buffer => bytes;

const deadlineOf = ({ deadlineMs }: GrpcCallOptions): { deadline?: number } =>
  deadlineMs === undefined ? {} : { deadline: Date.now() + deadlineMs };

function methodOf(name: string): DescMethod {
  const method = methods.get(name);
  if (!method) throw new Error(`no method ${name}`);
  return method;
}
