import * as fc from 'fast-check';
import { ErrorLog, fuzz } from '../support/fuzzing.js';
import { expectRestAnswer, expectRpcAnswer, expectWellAnswered, HttpSender, type SentRequest } from '../support/http-fuzzing.js';
import { anyJson, anyText, damaged } from '../support/json-arbitraries.js';
import { MirrorHost } from '../support/mirror-host.js';
import { anyCall, anyHeaders, KNOWN } from '../support/request-arbitraries.js';
import { restRequestOf } from '../support/rest-request.js';

/** What stands for itself in a path, what must be escaped, and escapes that are none. */
const SEGMENTS = [
  KNOWN,
  `${KNOWN}:cancel`,
  `${KNOWN}%3Asubscribe`,
  ...['tasks', 'message:send', 'message%3Asend', 'message:', ':', 'v1', 'agents', 'agent', 'extendedAgentCard', '.well-known'],
  ...['agent-card.json', 'jwks.json', 'pushNotificationConfigs', '', '.', '..', '%2e%2e', '%', '%zz', '%00', '%ff', '%2F', '%C3'],
];
const segment = fc.oneof(fc.constantFrom(...SEGMENTS), anyText.map(escaped));
const oddPath = fc.array(segment, { maxLength: 6 }).map((all) => `/${all.join('/')}`);
const query = fc
  .array(fc.tuple(fc.constantFrom('pageSize', 'historyLength', 'tenant', 'A2A-Version', '__proto__', 'x'), anyText), {
    maxLength: 3,
  })
  .map((pairs) => pairs.map(([name, value]) => `${name}=${escaped(value)}`).join('&'));
const METHODS = ['GET', 'POST', 'DELETE', 'PUT', 'PATCH', 'HEAD', 'OPTIONS'];
const TYPES = ['application/json', 'application/a2a+json', 'text/plain', 'application/x-www-form-urlencoded'];

const own = anyCall.map(({ operation, request }) => {
  const { method, path, body } = restRequestOf(operation, wellFormed(request));
  return { method, path: `/agents/agent${path}`, body: body === undefined ? undefined : JSON.stringify(body) };
});
const damagedOwn = own.chain((one) =>
  fc
    .tuple(damaged(fc.constant(one.body ?? '{}')), fc.constantFrom(...METHODS))
    .map(([body, method]) => ({ ...one, body, method })),
);
const odd = fc
  .tuple(fc.constantFrom(...METHODS), oddPath, query, fc.option(anyJson.map((value) => JSON.stringify(value))))
  .map(([method, path, asked, body]) => ({ method, path: `${path}?${asked}`, body: body ?? undefined }));

const request: fc.Arbitrary<SentRequest> = fc
  .tuple(
    fc.oneof({ weight: 4, arbitrary: own }, { weight: 2, arbitrary: damagedOwn }, { weight: 3, arbitrary: odd }),
    fc.oneof({ weight: 8, arbitrary: fc.constant('application/json') }, { weight: 1, arbitrary: fc.constantFrom(...TYPES) }),
    anyHeaders,
  )
  .map(([{ method, path, body }, contentType, headers]) => {
    return { method, path, body, headers: body === undefined ? headers : { 'content-type': contentType, ...headers } };
  });

describe('HTTP+JSON, whatever is sent', () => {
  const log = new ErrorLog();
  let host: MirrorHost;
  let sender: HttpSender;

  beforeAll(async () => {
    host = await MirrorHost.start(log.logger);
    sender = new HttpSender(host.url);
  });
  afterAll(async () => {
    sender.close();
    await host.close();
  });

  it('answers with a result or an error of the table', async () => {
    await fuzz(16_000, request, async (one) => {
      const body = one.body === undefined ? undefined : host.known(one.body);
      // Node frames the body of any method only when it knows the length.
      const headers = body === undefined ? one.headers : { ...one.headers, 'content-length': String(Buffer.byteLength(body)) };
      const answer = await sender.send({ ...one, path: host.known(one.path), body, headers });
      const json = expectWellAnswered(one, answer);
      if (isRpc(json)) expectRpcAnswer(json);
      else if (json !== undefined) expectRestAnswer(answer.status, json);
    });
    expect(log.errors).toEqual([]);
  });
});

/** Some of the paths are those of JSON-RPC. */
const isRpc = (json: unknown): boolean => typeof json === 'object' && json !== null && 'jsonrpc' in json;

/** As part of a path or a query; every other form that a client might send is among `SEGMENTS`. */
function escaped(text: string): string {
  return encodeURIComponent(asUtf8(text));
}

/** The strings of a request that may stand in its path, as text in UTF-8. */
function wellFormed(request: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(request).map(([name, value]) => [name, typeof value === 'string' ? asUtf8(value) : value]),
  );
}

const asUtf8 = (text: string): string => Buffer.from(text).toString();
