import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { OperationName } from '../bindings/operations.js';
import type { JsonObject } from '../wire/json.js';
import { fakeCard, publicKey, type Profile } from './cards.spec-support.js';
import { FakeError, type Faulty } from './faults.spec-support.js';
import { startGrpc } from './grpc.spec-support.js';
import { serveHttpJson } from './http-json.spec-support.js';
import { serveJsonRpc } from './json-rpc.spec-support.js';
import type { FakeHost } from './host.spec-support.js';
import { FakeOperations, type FakeCall } from './operations.spec-support.js';

export const TOKEN = 'let-me-in';

export interface FakeAgent {
  readonly url: string;
  stop(): Promise<void>;
}

/** An agent that does everything right over all three bindings, but for the faults that are switched on. */
export async function startFakeAgent(profile: Profile, faults: readonly string[] = []): Promise<FakeAgent> {
  const faulty: Faulty = (id) => faults.includes(id);
  const state: { host?: FakeHost; card: JsonObject } = { card: {} };
  const server = createServer((request, response) => void serve(request, response, state.host as FakeHost, state.card));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const grpc = await startGrpc(() => state.host as FakeHost);
  state.card = fakeCard(profile, origin, grpc.port, faulty);
  const operations = new FakeOperations(faulty, state.card);
  state.host = { faulty, operations, admit: (operation, call, query) => admit(profile, faulty, operation, call, query) };
  return {
    url: origin,
    async stop() {
      server.closeAllConnections();
      await Promise.all([new Promise((resolve) => server.close(resolve)), grpc.stop()]);
    },
  };
}

function admit(profile: Profile, faulty: Faulty, operation: OperationName, { headers }: FakeCall, query?: URLSearchParams): void {
  const asked =
    headers['a2a-version'] ?? (faulty('version.query-parameter') ? undefined : (query?.get('A2A-Version') ?? undefined));
  const taken =
    asked === undefined && faulty('version.absent') ? '1.0' : asked === '' && faulty('version.empty') ? '1.0' : (asked ?? '');
  const version = faulty('version.patch') ? taken : taken.replace(/^(\d+\.\d+)\.\d+$/, '$1');
  if (version !== '1.0') {
    if (version === '9.9' && faulty('version.unsupported')) throw new FakeError('InvalidParamsError', 'only 1.0');
    throw new FakeError('VersionNotSupportedError', faulty('version.names-supported') ? 'not supported' : 'supported: 1.0');
  }
  if (profile !== 'full' || headers['authorization'] === `Bearer ${TOKEN}`) return;
  if (operation === 'GetExtendedAgentCard' && faulty('extended-card.needs-credentials')) return;
  if (!faulty('auth.required')) throw new FakeError('Unauthenticated', 'a token is needed');
}

async function serve(request: IncomingMessage, response: ServerResponse, host: FakeHost, card: JsonObject): Promise<void> {
  const { pathname } = new URL(request.url ?? '', 'http://fake');
  if (pathname === '/rpc') return serveJsonRpc(request, response, host);
  if (pathname.startsWith('/rest/')) return serveHttpJson(request, response, host);
  if (pathname === '/restart') {
    if (host.faulty('restart.survives')) host.operations.tasks.clear();
    return void response.end();
  }
  if (pathname === '/jwks.json')
    return void response.end(JSON.stringify({ keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'fake', alg: 'ES256' }] }));
  serveCard(request, response, host.faulty, card);
}

function serveCard(request: IncomingMessage, response: ServerResponse, faulty: Faulty, card: JsonObject): void {
  const legacy = request.headers['a2a-version'] === '' && !faulty('legacy.card') ? { url: 'http://fake/rpc' } : {};
  const body = JSON.stringify({ ...card, ...legacy });
  const etag = `"${createHash('sha256').update(body).digest('hex')}"`;
  response.setHeader('content-type', faulty('card.content-type') ? 'text/plain' : 'application/json');
  if (!faulty('card.cache-control')) response.setHeader('cache-control', 'public, max-age=60');
  if (!faulty('card.etag')) response.setHeader('etag', etag);
  if (request.headers['if-none-match'] === etag && !faulty('card.not-modified')) response.writeHead(304).end();
  else response.end(body);
}
