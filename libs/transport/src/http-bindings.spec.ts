import { SILENT, StoreUnavailableError, type AnnouncedAgent, type RequestHandler } from '#core';
import { DEFAULT_LIMITS } from '#protocol';
import { ServedCards } from './agent-card/served-card.js';
import { Cors } from './cors.js';
import { HttpBindings } from './http-bindings.js';
import { isStream, type HttpRequest, type TextAnswer } from './http.js';

const requestOf = (method: string, url: string, body = ''): HttpRequest => ({
  method,
  url,
  body,
  headers: { 'content-type': 'application/json', 'a2a-version': '1.0' },
  clientAddress: '127.0.0.1',
  origin: { url: 'http://h', forwarded: false },
  signal: () => new AbortController().signal,
});

async function textAnswer(bindings: HttpBindings, request: HttpRequest): Promise<TextAnswer> {
  const answer = await bindings.answer(request);
  if (isStream(answer)) throw new Error('expected a text');
  return answer;
}

const away = () => Promise.reject(new StoreUnavailableError('postgres://secret'));
const bindingsOf = (logger = SILENT, find = away): HttpBindings =>
  new HttpBindings({
    handler: {} as RequestHandler,
    agents: { find, findDefault: find, list: async () => [] },
    limits: DEFAULT_LIMITS,
    serveV03: true,
    cards: new ServedCards({ serveV03: true, logger: SILENT }),
    cors: new Cors(['*']),
    logger,
  });

const AGENT = { id: 'a', card: {} } as AnnouncedAgent;
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

  it.each([
    ['POST', '/agents/a', '{"jsonrpc":"2.0","id":1,"method":"CancelTask","params":{"id":"t7","tenant":"acme"}}', 'cancelTask'],
    ['POST', '/agents/a/acme/tasks/t7:cancel', '', 'cancelTask'],
    ['POST', '/agents/a/acme/message:send', '{"message":{"taskId":"t7"}}', 'sendMessage'],
  ])('logs of %s %s %s whose task it was about', async (method, url, body, operation) => {
    const logged: unknown[] = [];
    const broken = (): Promise<never> => Promise.reject(new TypeError('inside'));
    const bindings = bindingsOf({ ...SILENT, error: (_message, fields) => logged.push(fields) }, broken);
    await textAnswer(bindings, requestOf(method, url, body));
    expect(logged).toEqual([expect.objectContaining({ tenant: 'acme', agentId: 'a', taskId: 't7', operation })]);
  });

  it('logs an error in mid-stream with what it was about', async () => {
    const logged: unknown[] = [];
    const bindings = new HttpBindings({
      handler: { subscribeToTask: async () => ({ close: () => undefined }) } as unknown as RequestHandler,
      agents: { find: async () => AGENT, findDefault: async () => AGENT, list: async () => [AGENT] },
      limits: DEFAULT_LIMITS,
      serveV03: true,
      cards: new ServedCards({ serveV03: true, logger: SILENT }),
      cors: new Cors([]),
      logger: { ...SILENT, error: (_message, fields) => logged.push(fields) },
    });
    const rpc = '{"jsonrpc":"2.0","id":1,"method":"SubscribeToTask","params":{"id":"t7"}}';
    for (const request of [requestOf('GET', '/agents/a/tasks/t7:subscribe'), requestOf('POST', '/agents/a', rpc)]) {
      const answer = await bindings.answer(request);
      if (!isStream(answer)) throw new Error('expected a stream');
      expect(answer.failure(new TypeError('inside'))).not.toContain('inside');
    }
    const line = expect.objectContaining({ agentId: 'a', taskId: 't7', operation: 'subscribeToTask', err: expect.any(Error) });
    expect(logged).toEqual([line, line]);
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
