import type { IncomingMessage, ServerResponse } from 'node:http';
import { OPERATIONS, operationRow, type OperationName } from '../bindings/operations.js';
import type { JsonObject } from '../wire/json.js';
import { bodyOf, leaving, writeEvents, type FakeHost } from './host.spec-support.js';
import { FakeError } from './faults.spec-support.js';

const NUMBERS = new Set(['pageSize', 'historyLength']);

export async function serveHttpJson(request: IncomingMessage, response: ServerResponse, host: FakeHost): Promise<void> {
  const { faulty } = host;
  const url = new URL(request.url ?? '', 'http://fake');
  const route = routeOf(request.method ?? '', url.pathname.replace(/^\/rest/, ''));
  response.setHeader('content-type', faulty('http.content-type') ? 'text/plain' : 'application/a2a+json');
  if (!route) {
    response.statusCode = 404;
    if (faulty('http.unknown-path')) return void response.setHeader('content-type', 'text/html').end('<h1>Not found</h1>');
    return fails(response, host, new FakeError('MethodNotFound', 'no such path'));
  }
  if (request.headers['content-type'] === 'text/csv')
    return void response.writeHead(faulty('http.media-type') ? 500 : 415).end('{"error":{"code":415,"message":"no CSV"}}');
  const params: JsonObject = { ...route.path };
  for (const [name, value] of url.searchParams)
    if (name !== 'A2A-Version') params[name] = NUMBERS.has(name) ? Number(value) : value;
  try {
    const text = await bodyOf(request);
    Object.assign(params, text === '' ? {} : (JSON.parse(text) as JsonObject));
  } catch {
    response.statusCode = faulty('http.malformed-json') ? 500 : 400;
    return void response.end('{"error":{"code":400,"message":"no JSON"}}');
  }
  const headers = request.headers as Record<string, string | undefined>;
  const call = { binding: 'HTTP+JSON', params, headers, signal: leaving(response) };
  try {
    host.admit(route.operation, call, url.searchParams);
    if (!operationRow(route.operation).streams)
      return void response.end(JSON.stringify(await host.operations.call(route.operation, call)));
    await writeEvents(response, host.operations.stream(route.operation, call), (value) => JSON.stringify(value), faulty);
  } catch (error) {
    if (!(error instanceof FakeError)) throw error;
    fails(response, host, error);
  }
}

function fails(response: ServerResponse, { faulty }: FakeHost, error: FakeError): void {
  response.statusCode = error.http;
  if (error.http === 401 && !faulty('auth.challenge')) response.setHeader('www-authenticate', 'Bearer');
  const { message } = error;
  const body = {
    ...(!faulty('http.error-body') && { code: error.http }),
    message,
    details: error.detailsFor('HTTP+JSON', faulty),
  };
  response.end(JSON.stringify({ error: body }));
}

function routeOf(method: string, path: string): { operation: OperationName; path: JsonObject } | undefined {
  for (const operation of Object.keys(OPERATIONS) as OperationName[]) {
    const [wanted, template] = operationRow(operation).http;
    const pattern = new RegExp(`^${template.replace(/\{(\w+)\}/g, '(?<$1>[^/:]+)')}$`);
    const found = wanted === method ? pattern.exec(path) : null;
    if (found) return { operation, path: { ...found.groups } };
  }
  return undefined;
}
