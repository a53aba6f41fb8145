import type { GrpcStatus } from '#protocol';
import { STATUS_CODES, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

interface Refusal {
  readonly status: number;
  readonly grpc: GrpcStatus;
  readonly message: string;
}

const MALFORMED: Refusal = { status: 400, grpc: 'INVALID_ARGUMENT', message: 'Malformed HTTP request' };
const CONNECT: Refusal = { status: 405, grpc: 'UNIMPLEMENTED', message: 'This host is no proxy' };

const BY_CODE: Readonly<Record<string, Refusal>> = {
  HPE_HEADER_OVERFLOW: { status: 431, grpc: 'INVALID_ARGUMENT', message: 'The headers of the request are too large' },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, grpc: 'UNAVAILABLE', message: 'The request did not arrive in time' },
};

/** How long a client may take to receive a refusal. */
const PATIENCE_MS = 5000;

/** Answers bytes that are no HTTP, and requests that did not arrive in time; the connection ends in any case. */
export function refuseClientError({ code }: NodeJS.ErrnoException, socket: Socket): void {
  if (code === 'ECONNRESET' || !socket.writable || isAnswering(socket)) socket.destroy();
  else refuse(socket, BY_CODE[code ?? ''] ?? MALFORMED);
}

/** Answers CONNECT, of which Node makes no response of its own. */
export const refuseConnect = (_request: IncomingMessage, socket: Socket): void => refuse(socket, CONNECT);

/**
 * Would a refusal be read as a part of another answer, or as that answer? It would unless the fault lies in the body of the
 * request that is being answered, and nothing of the answer is on its way. Node itself looks at the same field.
 */
function isAnswering(socket: Socket): boolean {
  const response = (socket as Socket & { readonly _httpMessage?: ServerResponse | null })._httpMessage;
  return response ? response.headersSent || response.req.complete : false;
}

/** What was not even HTTP has no binding: a plain status in JSON. */
function refuse(socket: Socket, { status, grpc, message }: Refusal): void {
  const body = JSON.stringify({ error: { code: status, status: grpc, message, details: [] } });
  socket.write(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/json\r\nCache-Control: no-store\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
  socket.setTimeout(PATIENCE_MS, () => socket.destroy());
  socket.destroySoon();
}
