import type { HttpBindings } from '#transport';
import { A2AError, JsonParseError } from '#protocol';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { isUtf8 } from 'node:buffer';
import { fastify, type FastifyError, type FastifyReply, type FastifyRequest } from 'fastify';
import { refuseClientError, refuseConnect } from './client-errors.js';
import type { Exchange } from './exchange.js';

export interface AdapterOptions {
  /** Largest request body, in bytes. */
  readonly bodyLimit: number;
}

/** Nest sets handlers of its own when it starts, over those that Fastify was given; here they stay: errors are answered as A2A answers. */
class JsonAdapter extends FastifyAdapter {
  override setErrorHandler(): never {
    return undefined as never;
  }

  override setNotFoundHandler(): never {
    return undefined as never;
  }
}

/** Fastify, told to leave bodies as text and to hand every error of its own to `exchange`. */
export function createAdapter({ bodyLimit }: AdapterOptions, bindings: HttpBindings, exchange: Exchange): FastifyAdapter {
  const fail = (error: unknown, request: FastifyRequest, reply: FastifyReply): void => {
    if (isUnreadableType(error) && hasNoBody(request)) return void exchange.answer(request, reply);
    reply.hijack();
    const asked = exchange.requestOf(request.raw, '');
    exchange.write(request.raw, reply.raw, bindings.failure(asked, meaningOf(error, bodyLimit)));
  };
  const server = fastify({
    bodyLimit,
    // Node would answer a request without Host itself, and not in JSON. A client that vanished without a word, while it waits for
    // an answer or a stream is silent, is only found out by asking its system.
    http: { requireHostHeader: false, keepAlive: true, keepAliveInitialDelay: KEEP_ALIVE_MS },
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    requestTimeout: REQUEST_TIMEOUT_MS,
    frameworkErrors: fail,
    clientErrorHandler: refuseClientError,
  });
  server.server.on('connect', refuseConnect);
  // Node would answer an expectation that it does not know with a bare 417; who has one may as well be answered.
  server.server.on('checkExpectation', (request, response) => server.server.emit('request', request, response));
  server.removeAllContentTypeParsers();
  // Text, not objects: the bindings parse it, which keeps `__proto__` keys as data and allows a body that is empty. Bytes that are
  // no UTF-8 are refused here: as text they would silently be other characters than the client sent.
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body: Buffer, done) => {
    if (isUtf8(body)) done(null, body.toString('utf8', hasMark(body) ? BYTE_ORDER_MARK.length : 0));
    else done(new JsonParseError());
  });
  server.setErrorHandler(fail);
  // Only methods that no route takes come here.
  server.setNotFoundHandler((request, reply) => exchange.answer(request, reply));
  return new JsonAdapter(server as never);
}

/** A client may take this long to send a request; without a bound, idle half-requests would hold connections for ever. */
const REQUEST_TIMEOUT_MS = 120_000;
/** How long a connection is silent before its peer's system is asked whether it is still there. */
const KEEP_ALIVE_MS = 60_000;
/** Some clients of Windows write it; a receiver may ignore it (RFC 8259, 8.1). */
const BYTE_ORDER_MARK = Buffer.from('\uFEFF');

const hasMark = (body: Buffer): boolean => body[0] === 0xef && body.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK);

const isUnreadableType = (error: unknown): boolean => (error as FastifyError).code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE';

/** A body that is not there needs no content type that can be read. */
const hasNoBody = ({ headers }: FastifyRequest): boolean =>
  headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0;

function meaningOf(error: unknown, bodyLimit: number): unknown {
  if (error instanceof A2AError) return error;
  const { code, statusCode, message } = error as FastifyError;
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
    return new A2AError('PayloadTooLargeError', `The body is larger than ${bodyLimit} bytes (limit BODY_LIMIT)`, {
      limit: String(bodyLimit),
    });
  }
  if (statusCode === 415) return new A2AError('UnsupportedMediaTypeError', 'The content type cannot be read');
  if (statusCode !== undefined && statusCode < 500) return new A2AError('InvalidRequestError', message);
  return error;
}
