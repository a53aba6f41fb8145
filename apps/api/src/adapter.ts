import type { HttpBindings } from '#transport';
import { A2AError, JsonParseError, type GrpcStatus } from '#protocol';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { isUtf8 } from 'node:buffer';
import { STATUS_CODES } from 'node:http';
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
    if (isUnreadableType(error) && hasNoBody(request)) return void exchange.answer(request, reply);
    reply.hijack();
    const asked = exchange.requestOf(request.raw, '');
    exchange.write(request.raw, reply.raw, bindings.failure(asked, meaningOf(error, bodyLimit)));
  };
  const server = fastify({
    bodyLimit,
    // Node would answer a request without Host itself, and not in JSON.
    http: { requireHostHeader: false },
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    requestTimeout: REQUEST_TIMEOUT_MS,
    frameworkErrors: fail,
    clientErrorHandler: ({ code }, socket) => {
      if (socket.writable) socket.end(notHttp(CLIENT_ERRORS[code] ?? MALFORMED));
    },
  });
  server.removeAllContentTypeParsers();
  // Text, not objects: the bindings parse it, which keeps `__proto__` keys as data and allows a body that is empty. Bytes that are
  // no UTF-8 are refused here: as text they would silently be other characters than the client sent.
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body: Buffer, done) => {
    if (isUtf8(body)) done(null, body.toString());
    else done(new JsonParseError());
  });
  server.setErrorHandler(fail);
  // Only methods that no route takes come here.
  server.setNotFoundHandler((request, reply) => exchange.answer(request, reply));
  return new JsonAdapter(server as never);
}

/** A client may take this long to send a request; without a bound, idle half-requests would hold connections for ever. */
const REQUEST_TIMEOUT_MS = 120_000;

interface ClientError {
  readonly status: number;
  readonly grpc: GrpcStatus;
  readonly message: string;
}

const MALFORMED: ClientError = { status: 400, grpc: 'INVALID_ARGUMENT', message: 'Malformed HTTP request' };

const CLIENT_ERRORS: Readonly<Record<string, ClientError>> = {
  HPE_HEADER_OVERFLOW: { status: 431, grpc: 'INVALID_ARGUMENT', message: 'The headers of the request are too large' },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, grpc: 'UNAVAILABLE', message: 'The request did not arrive in time' },
};

/** What was not even HTTP has no binding: a plain status in JSON. */
function notHttp({ status, grpc, message }: ClientError): string {
  const body = JSON.stringify({ error: { code: status, status: grpc, message, details: [] } });
  return (
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/json\r\n` +
    `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`
  );
}

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
