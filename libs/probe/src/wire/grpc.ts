import { connect, constants, type ClientHttp2Session, type ClientHttp2Stream } from 'node:http2';
import { reasonOf } from './http.js';
import { WireFault, type WireLimits } from './wire-fault.js';

export interface GrpcCall {
  /** `http://host:port` or `https://host:port`. */
  readonly origin: string;
  readonly path: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly message: Buffer;
}

export interface GrpcStatus {
  readonly code: number;
  readonly message: string;
  /** The bytes of a `google.rpc.Status`, when the server sent one. */
  readonly details?: Buffer;
}

/** The messages of an answer and the status after them. Whoever opened it closes it. */
export interface GrpcStream {
  readonly messages: AsyncIterable<Buffer>;
  /** Settled when `messages` has ended. */
  status(): GrpcStatus;
  close(): void;
}

const PREFIX = 5;

/** One call on an HTTP/2 connection of its own, bounded in time, bytes and messages. Throws WireFault, also while it is read. */
export function openCall({ origin, path, metadata, message }: GrpcCall, limits: WireLimits): GrpcStream {
  const session = connect(origin);
  let fault: WireFault | undefined;
  let trailers: Record<string, unknown> = {};
  const fail = (error: WireFault): void => {
    fault ??= error;
    session.destroy();
  };
  session.on('error', (error) => fail(new WireFault(`no answer from ${new URL(origin).host}: ${reasonOf(error)}`)));
  const timer = setTimeout(() => fail(new WireFault(`no complete answer within ${limits.timeoutMs} ms`)), limits.timeoutMs);
  const stream = session.request({
    [constants.HTTP2_HEADER_METHOD]: 'POST',
    [constants.HTTP2_HEADER_PATH]: path,
    'content-type': 'application/grpc+proto',
    te: 'trailers',
    'grpc-timeout': `${limits.timeoutMs}m`,
    ...metadata,
  });
  let headers: Record<string, unknown> = {};
  stream.on('response', (head) => (headers = head));
  stream.on('trailers', (found) => (trailers = found));
  stream.on('error', (error) => (fault ??= new WireFault(`the call broke off: ${reasonOf(error)}`)));
  stream.end(framed(message));
  return {
    messages: messages(stream, limits, () => fault),
    status: () => statusOf({ ...headers, ...trailers }),
    close: () => {
      clearTimeout(timer);
      stream.close(constants.NGHTTP2_CANCEL);
      end(session);
    },
  };
}

function end(session: ClientHttp2Session): void {
  if (!session.destroyed) session.destroy();
}

export function framed(message: Buffer): Buffer {
  const prefix = Buffer.alloc(PREFIX);
  prefix.writeUInt32BE(message.length, 1);
  return Buffer.concat([prefix, message]);
}

async function* messages(
  stream: ClientHttp2Stream,
  limits: WireLimits,
  fault: () => WireFault | undefined,
): AsyncIterable<Buffer> {
  let held = Buffer.alloc(0);
  let bytes = 0;
  let count = 0;
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > limits.maxBytes) throw new WireFault(`an answer of more than ${limits.maxBytes} bytes`);
      held = Buffer.concat([held, chunk]);
      for (let message = take(held); message; message = take(held)) {
        held = held.subarray(PREFIX + message.length);
        if ((count += 1) > limits.maxFrames) throw new WireFault(`a stream of more than ${limits.maxFrames} messages`);
        yield message;
      }
    }
  } catch (error) {
    throw error instanceof WireFault ? error : (fault() ?? new WireFault(`the call broke off: ${reasonOf(error)}`));
  }
  const broken = fault();
  if (broken) throw broken;
  if (held.length > 0) throw new WireFault('the call broke off within a message');
}

function take(held: Buffer): Buffer | undefined {
  if (held.length < PREFIX) return undefined;
  if (held[0] !== 0) throw new WireFault('a compressed gRPC message, which was not asked for');
  const length = held.readUInt32BE(1);
  return held.length < PREFIX + length ? undefined : held.subarray(PREFIX, PREFIX + length);
}

function statusOf(trailers: Record<string, unknown>): GrpcStatus {
  const code = trailers['grpc-status'];
  if (code === undefined)
    throw new WireFault(`no grpc-status in the answer (HTTP ${String(trailers[':status'] ?? 'without status')})`);
  const details = trailers['grpc-status-details-bin'];
  return {
    code: Number(code),
    message: unescaped(String(trailers['grpc-message'] ?? '')),
    ...(typeof details === 'string' && { details: Buffer.from(details, 'base64') }),
  };
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
