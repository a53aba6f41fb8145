import { connect, type ClientHttp2Session } from 'node:http2';
import type { Connection } from './connection.js';
import { grpcHeaders } from './grpc-frame.js';
import type { RawResponse } from './response-parser.js';

const SILENCE_MS = 30_000;

/** Unary calls of one gRPC method over one HTTP/2 connection. Leaner than a gRPC client, as `HttpConnection` is. */
export class GrpcConnection implements Connection {
  #session: ClientHttp2Session | undefined;

  constructor(
    private readonly port: number,
    private readonly method: string,
  ) {}

  /** Sends a message with its prefix; `status` is 200 for OK, else the gRPC status, whose text is the body. */
  exchange(request: Buffer): Promise<RawResponse> {
    this.#session ??= this.#open();
    const stream = this.#session.request(grpcHeaders(this.method));
    return new Promise((resolve, reject) => {
      const pieces: Buffer[] = [];
      let end: Record<string, unknown> = {};
      stream.on('response', (headers) => (end = headers));
      stream.on('trailers', (headers) => (end = headers));
      stream.on('data', (piece: Buffer) => pieces.push(piece));
      stream.on('error', reject);
      stream.on('close', () => {
        const status = end['grpc-status'];
        if (status === undefined) return reject(new Error('the call ended without a status'));
        if (status === '0') return resolve({ status: 200, body: Buffer.concat(pieces) });
        resolve({ status: Number(status), body: Buffer.from(String(end['grpc-message'])) });
      });
      stream.setTimeout(SILENCE_MS, () => stream.destroy(new Error(`silent for ${SILENCE_MS} ms`)));
      stream.end(request);
    });
  }

  close(): void {
    this.#session?.destroy();
    this.#session = undefined;
  }

  #open(): ClientHttp2Session {
    const session = connect(`http://127.0.0.1:${this.port}`);
    session.on('error', () => this.close());
    session.on('close', () => {
      if (this.#session === session) this.#session = undefined;
    });
    return session;
  }
}
