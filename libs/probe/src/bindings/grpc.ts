import { openCall, type GrpcStatus, type GrpcStream } from '../wire/grpc.js';
import { listOf, member, show, type Json, type JsonObject } from '../wire/json.js';
import { decode } from '../wire/protobuf/decode.js';
import { encode } from '../wire/protobuf/encode.js';
import { MESSAGES } from '../wire/protobuf/schema.js';
import { WireFault } from '../wire/wire-fault.js';
import {
  headersOf,
  type AgentError,
  type Binding,
  type BindingSettings,
  type CallOptions,
  type Frame,
  type Reply,
  type ReplyStream,
} from './binding.js';
import { operationRow, type OperationName } from './operations.js';

const SERVICE = '/lf.a2a.v1.A2AService';
const TYPE_PREFIX = 'type.googleapis.com/';

/** Section 10. */
export class GrpcBinding implements Binding {
  readonly name = 'GRPC';
  readonly url: string;

  /** `url` with a scheme, which says whether TLS is spoken. */
  constructor(readonly settings: BindingSettings) {
    this.url = settings.url;
  }

  async call(operation: OperationName, params: JsonObject, options: CallOptions = {}): Promise<Reply> {
    const call = this.#open(operation, params, options);
    try {
      const found: Buffer[] = [];
      for await (const message of call.messages) found.push(message);
      const status = call.status();
      if (status.code !== 0) return { error: this.#errorOf(status), headers: {} };
      const [message, another] = found;
      if (!message || another) throw new WireFault(`${found.length} messages in the answer of a unary call`);
      return { value: decode(operationRow(operation).response, message, this.settings.limits.maxDepth), headers: {} };
    } finally {
      call.close();
    }
  }

  async open(operation: OperationName, params: JsonObject, options: CallOptions = {}): Promise<ReplyStream> {
    const call = this.#open(operation, params, options);
    const iterator = call.messages[Symbol.asyncIterator]();
    try {
      const first = await iterator.next();
      if (first.done) {
        const status = call.status();
        call.close();
        return {
          ...(status.code !== 0 && { error: this.#errorOf(status) }),
          headers: {},
          frames: (async function* (): AsyncIterable<Frame> {})(),
          close: () => undefined,
        };
      }
      return { headers: {}, frames: this.#frames(operation, first.value, iterator, call), close: call.close };
    } catch (error) {
      call.close();
      throw error;
    }
  }

  async *#frames(
    operation: OperationName,
    first: Buffer,
    iterator: AsyncIterator<Buffer>,
    call: GrpcStream,
  ): AsyncIterable<Frame> {
    const { response } = operationRow(operation);
    for (let message: Buffer | undefined = first; message;) {
      yield { value: decode(response, message, this.settings.limits.maxDepth) };
      const next: IteratorResult<Buffer> = await iterator.next();
      message = next.done ? undefined : next.value;
    }
    const { code, message } = call.status();
    if (code !== 0) throw new WireFault(`the stream ended with status ${code}: ${message}`);
  }

  #open(operation: OperationName, params: JsonObject, options: CallOptions): GrpcStream {
    const { tenant, limits } = this.settings;
    const message = encode(operationRow(operation).request, { ...(tenant && { tenant }), ...params });
    return openCall(
      { origin: this.url, path: `${SERVICE}/${operation}`, metadata: headersOf(this.settings, options), message },
      limits,
    );
  }

  #errorOf({ code, message, details }: GrpcStatus): AgentError {
    const { maxDepth } = this.settings.limits;
    const status = details && decode('Status', details, maxDepth);
    const decoded = listOf(member(status, 'details')).map((any): Json => {
      const url = String(member(any, 'typeUrl') ?? '');
      const type = url.replace(`${TYPE_PREFIX}google.rpc.`, '');
      const value = Buffer.from(String(member(any, 'value') ?? ''), 'base64');
      return { '@type': url, ...(type in MESSAGES && decode(type, value, maxDepth)) };
    });
    return { code, message, details: decoded, raw: show({ code, message, details: decoded }) };
  }
}
