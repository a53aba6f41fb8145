import { once } from 'node:events';
import { createServer, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { OPERATIONS, operationRow, type OperationName } from '../bindings/operations.js';
import { framed } from '../wire/grpc.js';
import { member, type Json } from '../wire/json.js';
import { decode } from '../wire/protobuf/decode.js';
import { encode } from '../wire/protobuf/encode.js';
import type { FakeHost } from './host.spec-support.js';
import { FakeError } from './faults.spec-support.js';

const PREFIX = 5;

export async function startGrpc(host: () => FakeHost): Promise<{ port: number; stop(): Promise<void> }> {
  const sessions = new Set<ServerHttp2Session>();
  const server = createServer();
  server.on('session', (session) => {
    sessions.add(session);
    session.on('close', () => sessions.delete(session));
  });
  server.on('stream', (stream, headers) => {
    stream.on('error', () => undefined);
    void answer(stream, headers as Record<string, string | undefined>, host());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async stop() {
      for (const session of sessions) session.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function answer(stream: ServerHttp2Stream, headers: Record<string, string | undefined>, host: FakeHost): Promise<void> {
  const parts: Buffer[] = [];
  for await (const chunk of stream as AsyncIterable<Buffer>) parts.push(chunk);
  const operation = (headers[':path'] ?? '').split('/').at(-1) as OperationName;
  const gone = new AbortController();
  stream.on('close', () => gone.abort());
  try {
    if (!(operation in OPERATIONS)) throw new FakeError('MethodNotFound');
    const { request, response, streams } = operationRow(operation);
    const call = {
      binding: 'GRPC',
      params: decode(request, Buffer.concat(parts).subarray(PREFIX), 64),
      headers,
      signal: gone.signal,
    };
    host.admit(operation, call);
    if (streams)
      for await (const { value } of host.operations.stream(operation, call)) {
        begin(stream);
        if (!stream.destroyed) stream.write(framed(encode(response, value)));
      }
    else {
      const value = await host.operations.call(operation, call);
      begin(stream);
      stream.write(framed(encode(response, value)));
    }
    end(stream, { 'grpc-status': '0' });
  } catch (error) {
    if (!(error instanceof FakeError)) throw error;
    const details = error.detailsFor('GRPC', host.faulty).filter((one) => member(one, '@type') !== undefined);
    const status = encode('Status', { code: error.grpc, message: error.message, details: details.map(any) });
    end(stream, {
      'grpc-status': String(error.grpc),
      'grpc-message': encodeURIComponent(error.message),
      'grpc-status-details-bin': status.toString('base64'),
    });
  }
}

function any(detail: Json): Json {
  const typeUrl = String(member(detail, '@type'));
  const value = encode(typeUrl.replace('type.googleapis.com/google.rpc.', ''), detail).toString('base64');
  return { typeUrl, value };
}

function begin(stream: ServerHttp2Stream): void {
  if (!stream.headersSent && !stream.destroyed)
    stream.respond({ 'content-type': 'application/grpc+proto' }, { waitForTrailers: true });
}

function end(stream: ServerHttp2Stream, trailers: Record<string, string>): void {
  if (stream.destroyed) return;
  begin(stream);
  stream.once('wantTrailers', () => stream.sendTrailers(trailers));
  stream.end();
}
