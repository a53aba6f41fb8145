import { exchange, openExchange, type HttpReply } from '../wire/http.js';
import { at, isObject, listOf, member, parseJson, show, type Json, type JsonObject } from '../wire/json.js';
import { serverSentEvents } from '../wire/server-sent-events.js';
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

/** Section 9. */
export class JsonRpcBinding implements Binding {
  readonly name = 'JSONRPC';
  readonly url: string;
  #id = 0;

  constructor(readonly settings: BindingSettings) {
    this.url = settings.url;
  }

  async call(operation: OperationName, params: JsonObject, options: CallOptions = {}): Promise<Reply> {
    const reply = await this.post(this.#request(operation, params), options);
    const body = reply.json();
    const error = errorOf(body);
    const { status: httpStatus, headers } = reply;
    if (error) return { error, headers, httpStatus };
    const result = member(body, 'result');
    // Deletions and the like: any result is a success.
    if (operationRow(operation).response === 'Empty' && result !== undefined) return { value: {}, headers, httpStatus };
    if (!isObject(result)) throw new WireFault(`neither a result nor an error: ${show(body)}`);
    return { value: result, headers, httpStatus };
  }

  async open(operation: OperationName, params: JsonObject, options: CallOptions = {}): Promise<ReplyStream> {
    const { limits } = this.settings;
    const stream = await openExchange(this.#http(JSON.stringify(this.#request(operation, params)), options), limits);
    const { headers } = stream;
    if (/^text\/event-stream/i.test(headers['content-type'] ?? ''))
      return { headers, frames: framesOf(stream.chunks, limits.maxBytes, limits.maxDepth), close: stream.close };
    try {
      const parts: Buffer[] = [];
      for await (const chunk of stream.chunks) parts.push(chunk);
      const body = parseJson(Buffer.concat(parts).toString('utf8'), limits.maxDepth);
      const error = errorOf(body);
      if (!error)
        throw new WireFault(`${operation} is answered with ${headers['content-type'] ?? 'no content type'}, not with a stream`);
      return { error, headers, frames: nothing(), close: () => undefined };
    } finally {
      stream.close();
    }
  }

  /** Any body, as it is. */
  post(body: Json | string, options: CallOptions = {}): Promise<HttpReply> {
    return exchange(this.#http(typeof body === 'string' ? body : JSON.stringify(body), options), this.settings.limits);
  }

  #request(method: string, params: JsonObject): JsonObject {
    const { tenant } = this.settings;
    return { jsonrpc: '2.0', id: (this.#id += 1), method, params: { ...(tenant && { tenant }), ...params } };
  }

  #http(body: string, options: CallOptions): { method: string; url: string; headers: Record<string, string>; body: string } {
    const url = new URL(this.url);
    for (const [name, value] of Object.entries(options.query ?? {})) url.searchParams.set(name, value);
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headersOf(this.settings, options),
    };
    return { method: 'POST', url: url.href, headers, body };
  }
}

async function* nothing(): AsyncIterable<Frame> {}

async function* framesOf(chunks: AsyncIterable<Buffer>, maxBytes: number, maxDepth: number): AsyncIterable<Frame> {
  for await (const { id, data } of serverSentEvents(chunks, maxBytes)) {
    const envelope = parseJson(data, maxDepth);
    const error = errorOf(envelope);
    if (error) throw new WireFault(`an error within the stream: ${error.code} ${error.message}`);
    yield { id, value: member(envelope, 'result') ?? null, envelope };
  }
}

/** The error of a JSON-RPC response, or undefined. */
export function errorOf(body: Json): AgentError | undefined {
  const error = member(body, 'error');
  if (error === undefined) return undefined;
  const message = member(error, 'message');
  return {
    code: Number(member(error, 'code')),
    message: typeof message === 'string' ? message : '',
    details: listOf(at(error, 'data')),
    raw: show(error),
  };
}
