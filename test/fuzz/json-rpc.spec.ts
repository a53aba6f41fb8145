import * as fc from 'fast-check';
import { OPERATIONS } from '#protocol';
import { ErrorLog, fuzz } from '../support/fuzzing.js';
import { expectRpcAnswer, expectWellAnswered, HttpSender, type SentRequest } from '../support/http-fuzzing.js';
import { anyJson, anyText, damaged, unlikely } from '../support/json-arbitraries.js';
import { MirrorHost } from '../support/mirror-host.js';
import { anyCall, anyHeaders } from '../support/request-arbitraries.js';

const CONTENT_TYPES = ['application/json', 'application/a2a+json; charset=utf-8', 'text/plain', 'multipart/form-data', '', 'x'];
const PATHS = ['/', '/agents/agent', '/agents/agent/', '/a2a', '/agents/nobody', '/agents/agent?A2A-Version=1.0'];

const envelope = fc.tuple(anyCall, fc.oneof(fc.nat(), anyText, anyJson)).chain(([{ operation, request }, id]) =>
  fc.record({
    jsonrpc: unlikely(fc.constant('2.0')),
    id: fc.constant(id),
    method: unlikely(fc.constant(OPERATIONS[operation].method), anyText),
    params: unlikely(fc.constant(request)),
  }),
);
const body = fc.oneof(
  { weight: 6, arbitrary: envelope.map((value) => JSON.stringify(value)) },
  { weight: 2, arbitrary: damaged(envelope.map((value) => JSON.stringify(value))) },
  { weight: 1, arbitrary: anyJson.map((value) => JSON.stringify(value)) },
  { weight: 1, arbitrary: fc.array(envelope, { maxLength: 2 }).map((value) => JSON.stringify(value)) },
  { weight: 1, arbitrary: anyText },
);
const request: fc.Arbitrary<SentRequest> = fc
  .record({
    path: fc.oneof({ weight: 10, arbitrary: fc.constant('/agents/agent') }, { weight: 1, arbitrary: fc.constantFrom(...PATHS) }),
    contentType: fc.oneof(
      { weight: 20, arbitrary: fc.constant('application/json') },
      { weight: 1, arbitrary: fc.constantFrom(...CONTENT_TYPES) },
    ),
    headers: anyHeaders,
    body,
  })
  .map(({ path, contentType, headers, body: text }) => ({
    method: 'POST',
    path,
    headers: { 'content-type': contentType, ...headers },
    body: text,
  }));

describe('JSON-RPC, whatever is sent', () => {
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
    await fuzz(18_000, request, async (one) => {
      const answer = await sender.send({ ...one, body: host.known(one.body ?? '') });
      const json = expectWellAnswered(one, answer);
      if (answer.status !== 204) expectRpcAnswer(json);
    });
    expect(log.errors).toEqual([]);
  });
});
