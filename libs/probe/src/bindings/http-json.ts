import { exchange, openExchange, type HttpRequest, type HttpReply } from '../wire/http.js';
import { at, isObject, listOf, member, parseJson, show, type JsonObject } from '../wire/json.js';
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

/** Section 11. */
export class HttpJsonBinding implements Binding {
  readonly name = 'HTTP+JSON';
  readonly url: string;

  constructor(readonly settings: BindingSettings) {
    this.url = settings.url;
  }

  async call(operation: OperationName, params: JsonObject, options: CallOptions = {}): Promise<Reply> {
    const reply = await this.send(this.requestOf(operation, params, options));
    const { status: httpStatus, headers } = reply;
    if (httpStatus >= 200 && httpStatus < 300) {
      const value = operationRow(operation).response === 'Empty' ? {} : reply.json();
      if (!isObject(value)) throw new WireFault(`not a JSON object: ${show(value)}`);
      return { value, headers, httpStatus };
    }
    return { error: errorOf(reply), headers, httpStatus };
  }

  async open(operation: OperationName, params: JsonObject, options: CallOptions = {}): Promise<ReplyStream> {
    const { limits } = this.settings;
    const stream = await openExchange(this.requestOf(operation, params, options), limits);
    const { headers, status } = stream;
    if (status === 200 && /^text\/event-stream/i.test(headers['content-type'] ?? ''))
      return { headers, frames: framesOf(stream.chunks, limits.maxBytes, limits.maxDepth), close: stream.close };
    try {
      const parts: Buffer[] = [];
      for await (const chunk of stream.chunks) parts.push(chunk);
      const text = Buffer.concat(parts).toString('utf8');
      if (status >= 200 && status < 300)
        throw new WireFault(`${operation} is answered with ${headers['content-type'] ?? 'no content type'}, not with a stream`);
      const error = errorOf({ status, headers, text, json: () => parseJson(text, limits.maxDepth) });
      return { error, headers, frames: (async function* (): AsyncIterable<Frame> {})(), close: () => undefined };
    } finally {
      stream.close();
    }
  }

  send(request: HttpRequest): Promise<HttpReply> {
    return exchange(request, this.settings.limits);
  }

  /** Path parameters go into the path, the rest into the query or the body (section 11.5). */
  requestOf(operation: OperationName, params: JsonObject, options: CallOptions = {}): HttpRequest {
    const [method, template] = operationRow(operation).http;
    const { tenant } = this.settings;
    const rest: JsonObject = { ...(tenant && { tenant }), ...params };
    const path = template.replace(/\{(\w+)\}/g, (_, name: string) => {
      const value = rest[name];
      delete rest[name];
      return encodeURIComponent(String(value));
    });
    const url = new URL(`${this.url.replace(/\/$/, '')}${path}`);
    for (const [name, value] of Object.entries(options.query ?? {})) url.searchParams.set(name, value);
    const headers: Record<string, string> = {
      accept: 'application/a2a+json, text/event-stream',
      ...headersOf(this.settings, options),
    };
    if (method !== 'POST') {
      for (const [name, value] of Object.entries(rest)) if (value !== undefined) url.searchParams.set(name, String(value));
      return { method, url: url.href, headers };
    }
    return {
      method,
      url: url.href,
      headers: { 'content-type': 'application/a2a+json', ...headers },
      body: JSON.stringify(rest),
    };
  }
}

async function* framesOf(chunks: AsyncIterable<Buffer>, maxBytes: number, maxDepth: number): AsyncIterable<Frame> {
  for await (const { id, event, data } of serverSentEvents(chunks, maxBytes)) {
    if (event === 'error') throw new WireFault(`an error within the stream: ${show(data)}`);
    yield { id, value: parseJson(data, maxDepth) };
  }
}

/** A body of another shape leaves the message and the details empty; a check of its own tells of it. */
export function errorOf(reply: HttpReply): AgentError {
  let body: unknown;
  try {
    body = reply.json();
  } catch (error) {
    if (!(error instanceof WireFault)) throw error;
  }
  const message = at(body, 'error', 'message');
  return {
    code: reply.status,
    message: typeof message === 'string' ? message : '',
    details: listOf(member(member(body, 'error'), 'details')),
    raw: show(`${reply.status} ${reply.text}`),
  };
}
