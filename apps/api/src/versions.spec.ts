import { ApiFixture, sendMessage, TASK } from './api-fixture.spec-support.js';

const JSON_TYPE = { 'content-type': 'application/json' };
const kindMessage = { kind: 'message', messageId: 'm', role: 'user', parts: [{ kind: 'text', text: 'hi' }] };
const protoMessage = { messageId: 'm', role: 'ROLE_USER', content: [{ text: 'hi' }] };
const rpc = (method: string, params: object): object => ({ jsonrpc: '2.0', id: 1, method, params });

const SEND = rpc('message/send', { message: kindMessage });
const SEND_V1 = sendMessage(1);
const ASK_FOR_1_0 = 'end `A2A-Version: 1.0`';

/** JSON-RPC code, or HTTP status of the binding that has paths, and what the message tells. */
type Row = [method: string, path: string, version: string | undefined, body: object | undefined, code: number, hint: string];

function refusals(serveV03: boolean, rows: readonly Row[]): void {
  let api: ApiFixture;
  beforeAll(async () => void (api = await ApiFixture.start({ serveV03 })));
  afterAll(() => api.stop());

  it.each(rows)('%s %s with the version %s and %j is refused with %d: %s', async (method, path, version, body, code, hint) => {
    const headers = { ...JSON_TYPE, ...(version === undefined ? {} : { 'a2a-version': version }) };
    const { status, json } = await api.send(method, path, headers, body && JSON.stringify(body));
    const error = json.error ?? json;
    expect([path === '/' ? error.code : status, error.message]).toEqual([code, expect.stringContaining(hint)]);
    expect(api.handler.calls).toEqual([]);
  });
}

describe('A client that names another version than it speaks, or none, is told what to send', () => {
  describe('while 0.3 is served', () => {
    refusals(true, [
      ['POST', '/', undefined, SEND_V1, -32009, 'SendMessage is a method of 1.0: send `A2A-Version: 1.0`'],
      ['POST', '/', '', SEND_V1, -32009, ASK_FOR_1_0],
      ['POST', '/', '0.3', rpc('ListTasks', {}), -32009, ASK_FOR_1_0],
      ['POST', '/', '0.3.0', rpc('GetTask', { id: 't' }), -32009, ASK_FOR_1_0],
      ['POST', '/', undefined, rpc('Nope', {}), -32601, 'Nope'],
      ['POST', '/', '1.0', SEND, -32601, 'a method of A2A 0.3; the request asks for version 1.0'],
      ['POST', '/', '9.9', SEND, -32009, 'supported: 1.0, 0.3'],
      ['POST', '/', '9.9', SEND_V1, -32009, 'supported: 1.0, 0.3'],
      ['POST', '/message:send', undefined, { message: protoMessage }, 400, `${ASK_FOR_1_0}. Paths of A2A 0.3 begin with /v1`],
      ['GET', '/tasks', undefined, undefined, 400, ASK_FOR_1_0],
      ['GET', '/tasks/t', '0.3', undefined, 400, ASK_FOR_1_0],
      ['GET', '/v1/tasks/t', '1.0', undefined, 404, 'a path of A2A 0.3; the request asks for version 1.0'],
      ['GET', '/v1/tasks/t', '9.9', undefined, 400, 'supported: 1.0, 0.3'],
      ['GET', '/v1/tasks', undefined, undefined, 404, 'GET /v1/tasks'],
    ]);
  });

  describe('while it is not', () => {
    refusals(false, [
      ['POST', '/', undefined, SEND, -32009, ASK_FOR_1_0],
      ['POST', '/', '0.3', SEND, -32009, 'supported: 1.0'],
      ['POST', '/', undefined, SEND_V1, -32009, ASK_FOR_1_0],
      ['POST', '/', '1.0', SEND, -32601, 'a method of A2A 0.3'],
      ['POST', '/v1/message:send', undefined, { message: protoMessage }, 400, 'supported: 1.0. Paths below /v1'],
      ['GET', '/agents/echo/v1/tasks/t', undefined, undefined, 400, 'supported: 1.0'],
      ['GET', '/v1/card', undefined, undefined, 400, 'supported: 1.0'],
      ['GET', '/tasks/t', undefined, undefined, 400, ASK_FOR_1_0],
    ]);
  });
});

describe('A client of 0.3 is served', () => {
  let api: ApiFixture;
  beforeAll(async () => void (api = await ApiFixture.start()));
  afterAll(() => api.stop());

  it.each<[string, string, Record<string, string>, object | undefined]>([
    ['POST', '/', {}, SEND],
    ['POST', '/', { 'a2a-version': '' }, SEND],
    ['POST', '/', { 'a2a-version': '0.3.0' }, SEND],
    ['POST', '/?A2A-Version=0.3', {}, SEND],
    ['POST', '/agents/echo/v1/message:send', {}, { message: protoMessage }],
    ['POST', '/agents/echo/v1/message:send', { 'a2a-version': '0.3' }, { message: protoMessage }],
    ['GET', '/v1/tasks/t', {}, undefined],
  ])('at %s %s with %j', async (method, path, headers, body) => {
    const { status, json } = await api.send(method, path, { ...JSON_TYPE, ...headers }, body && JSON.stringify(body));
    const { result = json } = json;
    expect([status, (result.task ?? result).id]).toEqual([200, JSON.parse(TASK).id]);
  });

  it('and told by name what went wrong, in the body of HTTP+JSON', async () => {
    const { status, json } = await api.send('POST', '/v1/message:send', JSON_TYPE, JSON.stringify({ message: {} }));
    expect(status).toBe(400);
    expect(json).toMatchObject({ type: 'InvalidParamsError', code: -32602 });
  });
});
