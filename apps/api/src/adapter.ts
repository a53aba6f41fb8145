import type { HttpBindings } from '#transport';
import { A2AError } from '#protocol';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { fastify, type FastifyError, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Exchange } from './exchange.js';

export interface AdapterOptions {
  /** Largest request body, in bytes. */
  readonly bodyLimit: number;
}

/** Nest's adapter without Nest's own idea of an error: whatever goes wrong before a controller is answered as A2A answers. */
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
    reply.hijack();
    const asked = exchange.requestOf(request.raw, '');
    exchange.write(request.raw, reply.raw, bindings.failure(asked, meaningOf(error, bodyLimit)));
  };
  const server = fastify({
    bodyLimit,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    frameworkErrors: fail,
    clientErrorHandler: (_error, socket) => {
      if (socket.writable) socket.end(BAD_REQUEST);
    },
  });
  server.removeAllContentTypeParsers();
  // Text, not objects: the bindings parse it, which keeps `__proto__` keys as data and allows a body that is empty.
  server.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body));
  server.setErrorHandler(fail);
  // Only methods that no route takes come here.
  server.setNotFoundHandler((request, reply) => exchange.answer(request, reply));
  return new JsonAdapter(server as never);
}

/** What was not even HTTP has no binding: a plain status in JSON. */
const BAD_REQUEST_BODY = JSON.stringify({
  error: { code: 400, status: 'INVALID_ARGUMENT', message: 'Malformed HTTP request', details: [] },
});
const BAD_REQUEST =
  `HTTP/1.1 400 Bad Request\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(BAD_REQUEST_BODY)}\r\n` +
  `Connection: close\r\n\r\n${BAD_REQUEST_BODY}`;

function meaningOf(error: unknown, bodyLimit: number): unknown {
  const { code, statusCode, message } = error as FastifyError;
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
    return new A2AError('PayloadTooLargeError', `The body is larger than ${bodyLimit} bytes (limit BODY_LIMIT)`, { limit: String(bodyLimit) });
  }
  if (statusCode === 415) return new A2AError('UnsupportedMediaTypeError', 'The content type cannot be read');
  if (statusCode !== undefined && statusCode < 500) return new A2AError('InvalidRequestError', message);
  return error;
}
