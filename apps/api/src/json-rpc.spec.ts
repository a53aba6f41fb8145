import { A2AError, TaskNotFoundError, UnavailableError } from '#protocol';
import { ApiFixture, agent, message, sendMessage, TASK } from './api-fixture.spec-support.js';

describe('JSON-RPC over HTTP', () => {
  let api: ApiFixture;
  beforeAll(async () => {
    api = await ApiFixture.start({ agents: [agent('echo'), agent('other')], bodyLimit: 4096 });
  });
  afterAll(() => api.stop());
  beforeEach(() => {
    api.handler.answers = {};
    api.handler.calls.length = 0;
  });

  it.each(['/', '/a2a', '/a2a/', '/agents/echo', '/agents/echo/', '/?x=1'])('answers POST %s', async (path) => {
    const { status, headers, body } = await api.rpc(sendMessage('a"b'), { path });
    expect({ status, type: headers['content-type'], body }).toEqual({
      status: 200,
      type: 'application/json',
      body: `{"jsonrpc":"2.0","id":"a\\"b","result":{"task":${TASK}}}`,
    });
    expect(api.handler.last.ctx).toMatchObject({ agentId: 'echo', tenant: '', principal: { id: 'anonymous' }, extensions: [] });
  });

  it.each([
    ['{', -32700, null],
    ['', -32700, null],
    ['[]', -32600, null],
    [[sendMessage()], -32600, null],
    ['null', -32600, null],
    ['"x"', -32600, null],
    [{ jsonrpc: '2.0', id: 7 }, -32600, 7],
    [{ jsonrpc: '1.0', id: 'x', method: 'GetTask' }, -32600, 'x'],
    [{ id: 8, method: 'GetTask' }, -32600, 8],
    [{ jsonrpc: '2.0', id: { a: 1 }, method: 'GetTask' }, -32600, null],
    [{ jsonrpc: '2.0', id: true, method: 'GetTask' }, -32600, null],
    [{ jsonrpc: '2.0', id: 'x'.repeat(257), method: 'SendMessage' }, -32600, null],
    ['{"jsonrpc":"2.0","id":9007199254740993,"method":"GetTask"}', -32600, null],
    ['{"jsonrpc":"2.0","id":1e400,"method":"GetTask"}', -32600, null],
    [{ jsonrpc: '2.0', id: 'x'.repeat(256), method: 'x' }, -32601, 'x'.repeat(256)],
    [{ jsonrpc: '2.0', id: 1.5, method: 'x'.repeat(3000) }, -32601, 1.5],
    [{ jsonrpc: '2.0', id: Number.MAX_SAFE_INTEGER, method: 'x' }, -32601, Number.MAX_SAFE_INTEGER],
    [{ jsonrpc: '2.0', id: 1, method: 5 }, -32600, 1],
    [{ jsonrpc: '2.0', id: 1, method: 'Nope' }, -32601, 1],
    [{ jsonrpc: '2.0', id: 1, method: 'message/send' }, -32601, 1],
    [{ jsonrpc: '2.0', id: 1, method: 'GetTask', params: [] }, -32602, 1],
    [{ jsonrpc: '2.0', id: 1, method: 'GetTask', params: {} }, -32602, 1],
    [{ jsonrpc: '2.0', id: 1, method: 'SendMessage' }, -32602, 1],
    [{ jsonrpc: '2.0', id: 1, method: 'GetExtendedAgentCard' }, -32004, 1],
    [{ jsonrpc: '2.0', id: 1, method: 'CreateTaskPushNotificationConfig', params: {} }, -32003, 1],
    [{ jsonrpc: '2.0', id: 1, method: 'ListTaskPushNotificationConfigs', params: { taskId: 't' } }, -32003, 1],
  ])('answers %j with %d and the id %j', async (body, code, id) => {
    const answer = await api.rpc(body);
    expect(answer.status).toBe(200);
    expect(answer.json).toMatchObject({ jsonrpc: '2.0', id, error: { code } });
    expect(answer.body.length).toBeLessThan(1000);
    expect(answer.json.error.data[0]['@type']).toBe('type.googleapis.com/google.rpc.ErrorInfo');
    expect(api.handler.calls).toEqual([]);
  });

  it('answers an id of null, and a notification with 204 after it was executed', async () => {
    expect((await api.rpc(sendMessage(null))).json).toMatchObject({ id: null, result: {} });
    const answer = await api.rpc({ jsonrpc: '2.0', method: 'SendMessage', params: { message: message('quiet') } });
    expect([answer.status, answer.body]).toEqual([204, '']);
    expect(api.handler.last.request).toMatchObject({ message: { parts: [{ text: 'quiet' }] } });
    expect((await api.rpc({ jsonrpc: '2.0', method: 'Nope' })).status).toBe(204);
  });

  it.each([
    [undefined, 'A2A-Version: 1.0'],
    ['0.3', '1.0'],
    ['9.9', '9.9'],
  ])('refuses the version %s and says what is supported', async (version, named) => {
    const headers: Record<string, string> = { 'content-type': 'application/json' };
    if (version !== undefined) headers['a2a-version'] = version;
    const { json } = await api.send('POST', '/', headers, JSON.stringify(sendMessage(3)));
    expect(json).toMatchObject({ id: 3, error: { code: -32009 } });
    expect(json.error.message).toContain(named);
  });

  it('takes a body that begins with a byte order mark', async () => {
    expect((await api.rpc(`\uFEFF${JSON.stringify(sendMessage(6))}`)).json).toMatchObject({ id: 6, result: {} });
  });

  it('takes the version with a patch number, and from the query', async () => {
    expect((await api.rpc(sendMessage(), { headers: { 'a2a-version': '1.0.1' } })).json.result).toBeDefined();
    const plain = { 'content-type': 'application/json' };
    expect((await api.send('POST', '/?A2A-Version=1.0', plain, JSON.stringify(sendMessage()))).json.result).toBeDefined();
  });

  it('takes application/a2a+json and answers application/json; refuses anything else with 415', async () => {
    const accepted = await api.rpc(sendMessage(), { headers: { 'content-type': 'application/a2a+json; charset=utf-8' } });
    expect([accepted.status, accepted.headers['content-type']]).toEqual([200, 'application/json']);
    const refused = await api.rpc(sendMessage(), { headers: { 'content-type': 'text/plain' } });
    expect([refused.status, refused.json.id, refused.json.error.code]).toEqual([415, null, -32005]);
  });

  it('refuses bytes that are no UTF-8, and a body that is encoded', async () => {
    const [before, after] = JSON.stringify(sendMessage()).split('hi') as [string, string];
    const bytes = Buffer.concat([Buffer.from(before), Buffer.from([0xff]), Buffer.from(after)]);
    const broken = await api.send('POST', '/', { 'content-type': 'application/json', 'a2a-version': '1.0' }, bytes);
    expect([broken.status, broken.json.id, broken.json.error.code]).toEqual([200, null, -32700]);
    const encoded = await api.rpc(sendMessage(), { headers: { 'content-encoding': 'gzip' } });
    expect([encoded.status, encoded.json.error.code]).toEqual([415, -32005]);
    expect(api.handler.calls).toEqual([]);
  });

  it.each(['/', '/a2a', '/agents/echo'])('answers GET %s with 405, Allow and JSON', async (path) => {
    const answer = await api.send('GET', path);
    expect([answer.status, answer.headers.allow]).toEqual([405, 'POST, OPTIONS']);
    expect(answer.json.error.code).toBe(-32600);
  });

  it('answers 413 in JSON one byte over the limit, and works just under it', async () => {
    const frameOf = (text: string): string => JSON.stringify({ ...sendMessage(), params: { message: message(text) } });
    const padding = 4096 - frameOf('').length;
    expect((await api.rpc(frameOf('x'.repeat(padding)))).json.result).toBeDefined();
    const over = await api.rpc(frameOf('x'.repeat(padding + 1)));
    expect([over.status, over.json.id]).toEqual([413, null]);
    expect(over.json.error.message).toBe('The body is larger than 4096 bytes (limit BODY_LIMIT)');
  });

  it.each([
    [new TaskNotFoundError('t9'), 200, -32001],
    [new UnavailableError('Shutting down', { taskId: 't9' }), 503, -32603],
    [new A2AError('InvalidParamsError', 'x'), 200, -32602],
    [new Error('secret cause'), 200, -32603],
  ])('answers what the operation rejects with (%#)', async (error, status, code) => {
    api.handler.answers.getTask = () => Promise.reject(error);
    const answer = await api.rpc({ jsonrpc: '2.0', id: 5, method: 'GetTask', params: { id: 't9' } });
    expect([answer.status, answer.json.id, answer.json.error.code]).toEqual([status, 5, code]);
    expect(answer.body).not.toContain('secret');
  });

  it('answers an unknown agent with 404 in JSON', async () => {
    const answer = await api.rpc(sendMessage(4), { path: '/agents/nobody' });
    expect([answer.status, answer.json.id, answer.json.error.data[0].reason]).toEqual([404, 4, 'AGENT_NOT_FOUND']);
  });

  it('passes on tenant and idempotency key, and refuses what cannot be one', async () => {
    const call = (tenant: string): object => ({ jsonrpc: '2.0', id: 1, method: 'GetTask', params: { id: 't', tenant } });
    await api.rpc(call('acme'), { headers: { 'idempotency-key': 'k1' } });
    expect(api.handler.last.ctx).toMatchObject({ tenant: 'acme', idempotencyKey: 'k1' });
    expect((await api.rpc(call('tasks'))).json.error).toMatchObject({ code: -32602 });
    expect((await api.rpc(call('acme'), { headers: { 'idempotency-key': 'k'.repeat(300) } })).json.error.code).toBe(-32602);
  });

  it('keeps any text byte for byte, and __proto__ keys as data', async () => {
    const text = 'a\r\nb\u2028c 😀 \u0000 \\u0000';
    await api.rpc({ jsonrpc: '2.0', id: 1, method: 'SendMessage', params: { message: message(text) } });
    expect(api.handler.last.request).toMatchObject({ message: { parts: [{ text }] } });
    api.handler.answers.getTask = async () => JSON.stringify({ text });
    expect((await api.rpc({ jsonrpc: '2.0', id: 1, method: 'GetTask', params: { id: 't' } })).json.result).toEqual({ text });
    await api.rpc(
      '{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"data":{"__proto__":{"x":1}}}]}}}',
    );
    expect(JSON.stringify(api.handler.last.request)).toContain('"__proto__":{"x":1}');
  });
});
