import type { IncomingMessage, ServerResponse } from 'node:http';
import { OPERATIONS, operationRow, type OperationName } from '../bindings/operations.js';
import { isObject, member, type Json, type JsonObject } from '../wire/json.js';
import { bodyOf, leaving, writeEvents, type FakeHost } from './host.spec-support.js';
import { FakeError } from './faults.spec-support.js';

export async function serveJsonRpc(request: IncomingMessage, response: ServerResponse, host: FakeHost): Promise<void> {
  const { faulty } = host;
  if (request.method !== 'POST') return void response.writeHead(faulty('rpc.http-get') ? 500 : 405).end('{}');
  let body: Json;
  try {
    body = JSON.parse(await bodyOf(request)) as Json;
  } catch {
    return answer(response, host, null, { error: { code: faulty('rpc.parse-error') ? -32603 : -32700, message: 'no JSON' } });
  }
  if (Array.isArray(body)) {
    if (body.length === 0 && faulty('rpc.empty-batch')) return void response.end('[]');
    if (body.length > 0 && faulty('rpc.batch')) return one(request, response, host, body[0] as Json);
    return answer(response, host, null, { error: { code: -32600, message: 'no batches' } });
  }
  return one(request, response, host, body);
}

async function one(request: IncomingMessage, response: ServerResponse, host: FakeHost, body: Json): Promise<void> {
  const { faulty } = host;
  const asked = member(body, 'id');
  const fails = (code: number, id: Json = asked ?? null): void =>
    answer(response, host, id, { error: { code, message: `${code}` } });
  if (isObject(asked) && !faulty('rpc.invalid-id')) return fails(-32600, null);
  const id = typeof asked === 'number' && faulty('rpc.ids') ? String(asked) : (asked ?? null);
  const method = member(body, 'method');
  if (typeof method !== 'string') return fails(faulty('rpc.invalid-request') ? -32601 : -32600);
  if (member(body, 'jsonrpc') !== '2.0' && !faulty('rpc.wrong-version')) return fails(-32600);
  const legacy = method === 'tasks/get';
  if (legacy && request.headers['a2a-version'] === '0.3') return fails(faulty('legacy.methods') ? -32601 : -32001);
  if (!(method in OPERATIONS) && !(legacy && faulty('rpc.legacy-method')))
    return fails(faulty('rpc.unknown-method') && !legacy ? -32602 : -32601);
  if (asked === undefined && !faulty('rpc.notification')) return void response.writeHead(204).end();
  const operation = (legacy ? 'GetTask' : method) as OperationName;
  const params = member(body, 'params');
  const call = {
    binding: 'JSONRPC',
    params: isObject(params) ? params : {},
    headers: request.headers as Record<string, string | undefined>,
    signal: leaving(response),
  };
  try {
    host.admit(operation, call, new URL(request.url ?? '', 'http://fake').searchParams);
    if (!operationRow(operation).streams)
      return answer(response, host, id, { result: await host.operations.call(operation, call) });
    const frame = (result: JsonObject): string =>
      JSON.stringify({ jsonrpc: '2.0', id: faulty('stream.envelope') ? null : id, result });
    await writeEvents(response, host.operations.stream(operation, call), frame, faulty);
  } catch (error) {
    if (!(error instanceof FakeError)) throw error;
    if (error.kind === 'Unauthenticated') response.statusCode = 401;
    if (error.kind === 'Unauthenticated' && !faulty('auth.challenge')) response.setHeader('www-authenticate', 'Bearer');
    answer(response, host, id, {
      error: { code: error.code, message: error.message, data: error.detailsFor('JSONRPC', faulty) },
    });
  }
}

function answer(response: ServerResponse, { faulty }: FakeHost, id: Json, more: JsonObject): void {
  response.setHeader('content-type', faulty('rpc.envelope') ? 'text/plain' : 'application/json');
  response.end(JSON.stringify({ jsonrpc: '2.0', id, ...more }));
}
