import type { IncomingMessage, ServerResponse } from 'node:http';
import { parseUrl } from '#protocol';
import {
  clientAddressOf,
  forwardedCertificate,
  isStream,
  originOf,
  writeEventStream,
  type CertificateOptions,
  type Cors,
  type HttpBindings,
  type HttpHeaders,
  type HttpRequest,
  type KeepAlive,
  type Origin,
  type OriginOptions,
  type TextAnswer,
} from '#transport';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { discard, type DiscardLimits } from './discard.js';

export interface ExchangeOptions extends OriginOptions, CertificateOptions {
  readonly cors: Cors;
  readonly keepAlive: KeepAlive;
  /** How long a full socket may stand still, in milliseconds. */
  readonly stallMs: number;
}

/** What is read of a body that was refused, so that its client gets to see why. */
const DISCARDED: DiscardLimits = { bytes: 64 * 1024 * 1024, ms: 10_000 };

/** Between Fastify and the bindings: takes requests, and writes answers to the socket as text that was made elsewhere. */
export class Exchange {
  constructor(
    private readonly bindings: HttpBindings,
    private readonly options: ExchangeOptions,
  ) {}

  /** Resolves when an answer is written, or a stream has begun: whoever calls has nothing to remember while it goes on. */
  async answer(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    reply.hijack();
    const { raw } = reply;
    const answer = await this.bindings.answer(
      this.requestOf(request.raw, typeof request.body === 'string' ? request.body : '', raw),
    );
    if (!isStream(answer)) return this.write(request.raw, raw, answer);
    void writeEventStream(raw, answer, this.#withCors(request.raw, answer.headers), this.options);
  }

  requestOf(raw: IncomingMessage, body: string, response?: ServerResponse): HttpRequest {
    return new NodeRequest(raw, body, this.options, response);
  }

  write(request: IncomingMessage, response: ServerResponse, { status, headers, body }: TextAnswer): void {
    if (response.destroyed || response.headersSent) return;
    const sent: Record<string, string | number> = { ...this.#withCors(request, headers) };
    if (status !== 204 && status !== 304) sent['content-length'] = Buffer.byteLength(body);
    // 413: there is no end to wait for. 503: the client's next request should find another process.
    if (status === 413 || status === 503) sent['connection'] = 'close';
    response.writeHead(status, sent);
    const text = request.method === 'HEAD' ? '' : body;
    if (status !== 413 || request.complete) return this.#end(response, text);
    response.write(text);
    void discard(request, DISCARDED).then(() => this.#end(response, ''));
  }

  /** A client that does not take its answer must not have it kept for ever. On time-out Node destroys the socket. */
  #end(response: ServerResponse, text: string): void {
    response.end(text);
    if (!response.writableFinished) response.setTimeout(this.options.stallMs);
  }

  #withCors({ headers: { origin } }: IncomingMessage, headers: HttpHeaders): HttpHeaders {
    return origin === undefined ? headers : { ...this.options.cors.headers(origin), ...headers };
  }
}

/** A request's target may be a whole URL (RFC 9112, 3.2.2). */
function pathAndQueryOf(target: string): string {
  const whole = target.startsWith('/') ? undefined : parseUrl(target);
  return whole === undefined ? target : whole.pathname + whole.search;
}

class NodeRequest implements HttpRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];

  constructor(
    private readonly raw: IncomingMessage,
    readonly body: string,
    private readonly options: OriginOptions & CertificateOptions,
    private readonly response: ServerResponse | undefined,
  ) {
    this.method = raw.method ?? 'GET';
    this.url = pathAndQueryOf(raw.url ?? '/');
    this.headers = raw.headers;
  }

  get origin(): Origin {
    const { remoteAddress, localPort } = this.raw.socket;
    return originOf({ headers: this.headers, remoteAddress, localPort }, this.options);
  }

  get clientAddress(): string | undefined {
    return clientAddressOf(this.raw.socket.remoteAddress, this.headers, this.options.isTrusted);
  }

  get clientCertificate(): Uint8Array | undefined {
    return forwardedCertificate(this.raw.socket.remoteAddress, this.headers, this.options);
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
