import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from '#core';
import {
  CORS_HEADERS,
  isStream,
  originOf,
  writeEventStream,
  type HttpBindings,
  type HttpHeaders,
  type HttpRequest,
  type KeepAlive,
  type OriginOptions,
  type TextAnswer,
} from '#transport';
import type { FastifyReply, FastifyRequest } from 'fastify';

export interface ExchangeOptions extends OriginOptions {
  readonly keepAlive: KeepAlive;
  readonly logger: Logger;
  /** How long a full socket may stand still, in milliseconds. */
  readonly stallMs: number;
}

/** One HTTP request and its answer, past Fastify: the socket is written directly, as text that was made elsewhere. */
export class Exchange {
  constructor(
    private readonly bindings: HttpBindings,
    private readonly options: ExchangeOptions,
  ) {}

  async answer(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    reply.hijack();
    const { raw } = reply;
    const answer = await this.bindings.answer(
      this.requestOf(request.raw, typeof request.body === 'string' ? request.body : '', raw),
    );
    if (!isStream(answer)) return this.write(request.raw, raw, answer);
    await writeEventStream(raw, answer, withCors(request.raw, answer.headers), this.options);
  }

  requestOf(raw: IncomingMessage, body: string, response?: ServerResponse): HttpRequest {
    return new NodeRequest(raw, body, this.options, response);
  }

  write(request: IncomingMessage, response: ServerResponse, { status, headers, body }: TextAnswer): void {
    if (response.destroyed || response.headersSent) return;
    const sent: Record<string, string | number> = { ...withCors(request, headers) };
    if (status !== 204 && status !== 304) sent['content-length'] = Buffer.byteLength(body);
    // What is left of a body that was refused would be taken for the next request.
    if (status === 413 || status === 503) sent['connection'] = 'close';
    response.writeHead(status, sent);
    response.end(request.method === 'HEAD' ? undefined : body);
  }
}

const withCors = (request: IncomingMessage, headers: HttpHeaders): HttpHeaders =>
  request.headers.origin === undefined ? headers : { ...CORS_HEADERS, ...headers };

/** A request's target may be a whole URL (RFC 9112, 3.2.2). */
function pathAndQueryOf(target: string): string {
  if (target.startsWith('/') || !URL.canParse(target)) return target;
  const { pathname, search } = new URL(target);
  return pathname + search;
}

class NodeRequest implements HttpRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];

  constructor(
    private readonly raw: IncomingMessage,
    readonly body: string,
    private readonly options: OriginOptions,
    private readonly response: ServerResponse | undefined,
  ) {
    this.method = raw.method ?? 'GET';
    this.url = pathAndQueryOf(raw.url ?? '/');
    this.headers = raw.headers;
  }

  get origin(): string {
    const { remoteAddress, localPort } = this.raw.socket;
    return originOf({ headers: this.headers, remoteAddress, localPort }, this.options);
  }

  signal(): AbortSignal {
    const controller = new AbortController();
    const { response } = this;
    response?.once('close', () => {
      if (!response.writableFinished) controller.abort();
    });
    if (response?.destroyed) controller.abort();
    return controller.signal;
  }
}
