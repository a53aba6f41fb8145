import { SILENT, StoreUnavailableError, type RequestHandler } from '#core';
import { DEFAULT_LIMITS } from '#protocol';
import { HttpBindings } from './http-bindings.js';
import { isStream, type HttpRequest, type TextAnswer } from './http.js';

const requestOf = (method: string, url: string, body = ''): HttpRequest => ({
  method,
  url,
  body,
  headers: { 'content-type': 'application/json', 'a2a-version': '1.0' },
  origin: 'http://h',
  signal: () => new AbortController().signal,
});

async function textAnswer(bindings: HttpBindings, request: HttpRequest): Promise<TextAnswer> {
  const answer = await bindings.answer(request);
  if (isStream(answer)) throw new Error('expected a text');
  return answer;
}

const away = () => Promise.reject(new StoreUnavailableError('postgres://secret'));
const bindingsOf = (logger = SILENT): HttpBindings =>
  new HttpBindings({ handler: {} as RequestHandler, agents: { find: away, findDefault: away }, limits: DEFAULT_LIMITS, logger });

const GET_TASK = '{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"t"}}';

describe('HttpBindings', () => {
  it.each([
    ['POST', '/', GET_TASK],
    ['GET', '/tasks/t', ''],
    ['GET', '/.well-known/agent-card.json', ''],
  ])('answers %s %s with 503 while the store is away, without saying where it is', async (method, url, body) => {
    const answer = await textAnswer(bindingsOf(), requestOf(method, url, body));
    expect([answer.status, answer.headers['retry-after']]).toEqual([503, '1']);
    expect(answer.body).not.toContain('secret');
  });

  it('answers everything with 503 once it is closed', async () => {
    const bindings = bindingsOf();
    bindings.close();
    for (const [method, url] of [
      ['POST', '/agents/a'],
      ['GET', '/tasks'],
      ['OPTIONS', '/'],
    ] as const) {
      expect((await textAnswer(bindings, requestOf(method, url))).status).toBe(503);
    }
  });

  it('logs what nobody foresaw under the id that the client gets', async () => {
    const logged: unknown[] = [];
    const bindings = bindingsOf({ ...SILENT, error: (_message, fields) => logged.push(fields) });
    const answer = bindings.failure(requestOf('POST', '/'), new TypeError('inside'));
    const { errorId } = JSON.parse(answer.body).error.data[0].metadata;
    expect(logged).toEqual([expect.objectContaining({ errorId, err: new TypeError('inside') })]);
    expect(answer.body).not.toContain('inside');
  });
});
