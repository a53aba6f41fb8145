import { connect } from 'node:net';
import { TaskNotFoundError } from '#protocol';
import { ApiFixture, TASK, agent, message } from './api-fixture.spec-support.js';

const V1 = { 'a2a-version': '1.0' };
const JSON_V1 = { ...V1, 'content-type': 'application/json' };

describe('HTTP+JSON', () => {
  let api: ApiFixture;
  beforeAll(async () => {
    const extensions = [{ uri: 'urn:a' }, { uri: 'urn:b', required: true }];
    api = await ApiFixture.start({ agents: [agent('echo'), agent('strict', { capabilities: { extensions } })], bodyLimit: 2048 });
  });
  afterAll(() => api.stop());
  beforeEach(() => {
    api.handler.answers = {};
    api.handler.calls.length = 0;
  });

  it.each([
    ['POST', '/message:send', 'sendMessage', { message: message() }],
    ['POST', '/message%3Asend', 'sendMessage', { message: message() }],
    ['POST', '/a2a/message:send', 'sendMessage', { message: message() }],
    ['POST', '/agents/echo/message:send', 'sendMessage', { message: message() }],
    ['GET', '/tasks', 'listTasks', {}],
    ['GET', '/tasks/?pageSize=5&includeArtifacts=true', 'listTasks', { pageSize: 5, includeArtifacts: true }],
    ['GET', '/tasks/t1?historyLength=0', 'getTask', { id: 't1', historyLength: 0 }],
    ['GET', '/tasks/a:b%2Fc', 'getTask', { id: 'a:b/c' }],
    ['GET', 'http://elsewhere.test/tasks/t1?historyLength=1', 'getTask', { id: 't1', historyLength: 1 }],
    ['GET', `/tasks/${'x'.repeat(200)}`, 'getTask', { id: 'x'.repeat(200) }],
    ['POST', '/tasks/a:b:cancel', 'cancelTask', { id: 'a:b' }],
    ['POST', '/tasks/t1%3Acancel', 'cancelTask', { id: 't1' }],
  ])('takes %s %s as %s', async (method, path, operation, request) => {
    const body = operation === 'sendMessage' ? JSON.stringify(request) : undefined;
    const answer = await api.send(method, path, body === undefined ? V1 : JSON_V1, body);
    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'application/json']);
    expect(api.handler.last).toMatchObject({ operation, ctx: { agentId: 'echo', tenant: '' } });
    expect(api.handler.last.request).toEqual(request);
  });

  it('copies the result as it is', async () => {
    expect((await api.send('GET', '/tasks/t1', V1)).body).toBe(TASK);
  });

  it.each([
    ['', {}],
    ['null', {}],
    ['{}', {}],
    ['', { 'content-type': 'text/plain' }],
    ['', { 'content-type': 'application/json' }],
    ['', { 'content-type': 'not a type' }],
    [' '.repeat(200), { 'content-type': 'application/json' }],
    [`${' '.repeat(100)}null\n`, { 'content-type': 'application/json' }],
    ['\uFEFF{}', { 'content-type': 'application/json' }],
    ['{"metadata":{"why":"x"},"id":"other"}', { 'content-type': 'application/json' }],
  ])('cancels with the body %j and %j', async (body, headers) => {
    const answer = await api.send(
      'POST',
      '/tasks/t1:cancel',
      { ...V1, ...(body && !('content-type' in headers) ? JSON_V1 : {}), ...headers },
      body,
    );
    expect(answer.status).toBe(200);
    expect(api.handler.last.request).toMatchObject({ id: 't1' });
  });

  it.each([
    ['/acme/tasks/t1', undefined, 'acme'],
    ['/agents/echo/acme/tasks/t1', undefined, 'acme'],
    ['/tasks/t1?tenant=acme', undefined, 'acme'],
    ['/acme/tasks/t1?tenant=acme', undefined, 'acme'],
    ['/acme/message:send', { message: message() }, 'acme'],
    ['/message:send', { message: message(), tenant: 'acme' }, 'acme'],
  ])('finds the tenant of %s with %j', async (path, body, tenant) => {
    await api.send(body ? 'POST' : 'GET', path, body ? JSON_V1 : V1, body && JSON.stringify(body));
    expect(api.handler.last.ctx.tenant).toBe(tenant);
  });

  it.each([
    ['GET', '/acme/tasks/t1?tenant=other', undefined, 400, 'INVALID_PARAMS'],
    ['GET', '/tasks/t1?tenant=acme&tenant=other', undefined, 400, 'INVALID_PARAMS'],
    ['POST', '/acme/message:send', { message: message(), tenant: 'other' }, 400, 'INVALID_PARAMS'],
    ['POST', '/message:send', undefined, 400, 'INVALID_PARAMS'],
    ['POST', '/message:send', [], 400, 'INVALID_PARAMS'],
    ['POST', '/message:send', '{', 400, 'PARSE_ERROR'],
    ['GET', '/tasks?pageSize=0', undefined, 400, 'INVALID_PARAMS'],
    ['GET', '/tasks?status=NOPE', undefined, 400, 'INVALID_PARAMS'],
    ['GET', '/extendedAgentCard', undefined, 400, 'UNSUPPORTED_OPERATION'],
    ['POST', '/tasks/t1/pushNotificationConfigs', { url: 'https://x.test' }, 400, 'PUSH_NOTIFICATION_NOT_SUPPORTED'],
    ['GET', '/tasks/t1/pushNotificationConfigs', undefined, 400, 'PUSH_NOTIFICATION_NOT_SUPPORTED'],
    ['GET', '/tasks/t1/pushNotificationConfigs/c1', undefined, 400, 'PUSH_NOTIFICATION_NOT_SUPPORTED'],
    ['DELETE', '/tasks/t1/pushNotificationConfigs/c1', undefined, 400, 'PUSH_NOTIFICATION_NOT_SUPPORTED'],
    ['GET', '/agents/nobody/tasks', undefined, 404, 'AGENT_NOT_FOUND'],
    ['GET', '/nowhere', undefined, 404, 'METHOD_NOT_FOUND'],
    ['POST', '/echo', {}, 404, 'METHOD_NOT_FOUND'],
    ['POST', '/v1/message:send', {}, 404, 'METHOD_NOT_FOUND'],
    ['GET', '/agents/echo/v1/tasks/t1', undefined, 404, 'METHOD_NOT_FOUND'],
    ['GET', '/agents/echo/v1/card', undefined, 404, 'METHOD_NOT_FOUND'],
    ['GET', `/${'n'.repeat(10_000)}`, undefined, 404, 'METHOD_NOT_FOUND'],
    ['GET', '/console/tasks', undefined, 404, 'METHOD_NOT_FOUND'],
    ['GET', '/agents/.well-known/agent-card.json', undefined, 404, 'METHOD_NOT_FOUND'],
    ['GET', '/tasks/%zz', undefined, 400, 'INVALID_REQUEST'],
    ['POST', '/message:send', { message: message('x'.repeat(3000)) }, 413, 'PAYLOAD_TOO_LARGE'],
  ])('answers %s %s %j with %d %s', async (method, path, body, status, reason) => {
    const text = typeof body === 'string' ? body : body && JSON.stringify(body);
    const answer = await api.send(method, path, text ? JSON_V1 : V1, text);
    expect([answer.status, answer.headers['content-type'], answer.json.error.code, answer.json.error.details[0].reason]).toEqual([
      status,
      'application/json',
      status,
      reason,
    ]);
    expect(api.handler.calls).toEqual([]);
  });

  it.each([
    ['GET', '/message:send', 'POST, OPTIONS'],
    ['POST', '/tasks', 'GET, HEAD, OPTIONS'],
    ['DELETE', '/tasks/t1', 'GET, HEAD, OPTIONS'],
    ['POST', '/tasks/t1', 'GET, HEAD, OPTIONS'],
    ['GET', '/tasks/t1:cancel', 'POST, OPTIONS'],
    ['PUT', '/tasks/t1:subscribe', 'GET, POST, OPTIONS'],
    ['PATCH', '/tasks/t1/pushNotificationConfigs/c', 'GET, DELETE, HEAD, OPTIONS'],
    ['PROPFIND', '/tasks', 'GET, HEAD, OPTIONS'],
    ['QUERY', '/tasks', 'GET, HEAD, OPTIONS'],
    ['HEAD', '/tasks/t1:subscribe', 'GET, POST, OPTIONS'],
    ['POST', '/.well-known/agent-card.json', 'GET, HEAD, OPTIONS'],
  ])('answers %s %s with 405 and Allow: %s', async (method, path, allow) => {
    for (const headers of [V1, { ...V1, 'content-type': 'no type', 'content-length': '1' }]) {
      const answer = await api.send(method, path, headers, 'content-length' in headers ? 'x' : undefined);
      expect([answer.status, answer.headers.allow, answer.headers['cache-control']]).toEqual([405, allow, 'no-store']);
      if (method !== 'HEAD') expect(answer.json.error.code).toBe(405);
    }
  });

  it.each([
    [{ accept: 'application/a2a+json' }, 'application/a2a+json'],
    [{ 'content-type': 'application/a2a+json' }, 'application/a2a+json'],
    [{ accept: 'application/json' }, 'application/json'],
    [{ accept: '*/*' }, 'application/json'],
    [{ accept: 'application/a2a+json;q=0, application/json' }, 'application/json'],
    [{ accept: 'application/json, application/a2a+json ; q=0.0' }, 'application/json'],
    [{ accept: 'application/json;q=0.9, application/a2a+json;q=0.1' }, 'application/a2a+json'],
  ])('answers %j as %s, errors too', async (headers, type) => {
    const sent = { ...V1, 'content-type': 'application/json', ...headers };
    expect((await api.send('POST', '/message:send', sent, JSON.stringify({ message: message() }))).headers['content-type']).toBe(
      type,
    );
    api.handler.answers.getTask = () => Promise.reject(new TaskNotFoundError('t'));
    const failed = await api.send('GET', '/tasks/t', sent);
    expect([failed.status, failed.headers['content-type'], failed.json.error.status]).toEqual([404, type, 'NOT_FOUND']);
  });

  it.each([
    ['contextId=%ff', 'contextId'],
    ['pageSize=5&pageToken=%ED%A0%80', 'pageToken'],
    ['contextId=%zz', 'contextId'],
    ['%ff=x', ''],
  ])('refuses the query %s, which is no UTF-8', async (query, field) => {
    const answer = await api.send('GET', `/tasks?${query}`, V1);
    expect([answer.status, answer.json.error.details[1].fieldViolations]).toEqual([
      400,
      [{ field, description: 'must be UTF-8, percent-encoded' }],
    ]);
    expect(api.handler.calls).toEqual([]);
  });

  it('reads what is percent-encoded UTF-8 in a query', async () => {
    expect((await api.send('GET', '/tasks?contextId=a%2Fb%20c+d%F0%9F%98%80', V1)).status).toBe(200);
    expect(api.handler.last.request).toEqual({ contextId: 'a/b c d😀' });
  });

  it.each(['/tasks', '/tasks/t1', '/agents/echo/acme/tasks'])('answers HEAD %s as GET, without a body', async (path) => {
    const get = await api.send('GET', path, V1);
    const head = await api.send('HEAD', path, V1);
    expect([head.status, head.body, head.headers['content-length']]).toEqual([200, '', get.headers['content-length']]);
    expect([get.headers['cache-control'], head.headers['cache-control']]).toEqual(['no-store', 'no-store']);
  });

  it('answers a request with an expectation that nobody knows', async () => {
    expect((await api.send('GET', '/tasks/t1', { ...V1, expect: 'miracles' })).body).toBe(TASK);
  });

  it('refuses other media types with 415, and a missing version with the hint', async () => {
    expect((await api.send('POST', '/message:send', { ...V1, 'content-type': 'text/xml' }, '<a/>')).status).toBe(415);
    expect((await api.send('POST', '/message:send', { ...V1 }, '{}')).status).toBe(415);
    const unversioned = await api.send('GET', '/tasks');
    expect([unversioned.status, unversioned.json.error.details[0].reason]).toEqual([400, 'VERSION_NOT_SUPPORTED']);
    expect(unversioned.json.error.message).toContain('Send `A2A-Version: 1.0`');
    expect((await api.send('GET', '/tasks?A2A-Version=1.0')).status).toBe(200);
    expect((await api.send('GET', '/tasks?A2A-Version=1.0', { 'a2a-version': '' })).status).toBe(200);
  });

  it('echoes the activated extensions and insists on the required one', async () => {
    const activated = await api.send('GET', '/agents/strict/tasks', { ...V1, 'a2a-extensions': 'urn:b, urn:unknown,urn:a' });
    expect(activated.headers['a2a-extensions']).toBe('urn:b, urn:a');
    expect(api.handler.last.ctx.extensions).toEqual(['urn:b', 'urn:a']);
    const refused = await api.send('GET', '/agents/strict/tasks', V1);
    expect([refused.status, refused.json.error.details[0].reason]).toEqual([400, 'EXTENSION_SUPPORT_REQUIRED']);
    expect((await api.send('GET', '/tasks', { ...V1, 'a2a-extensions': 'urn:a' })).headers['a2a-extensions']).toBeUndefined();
  });

  it('serves browser clients: preflight and exposed headers', async () => {
    const preflight = await api.send('OPTIONS', '/message:send', {
      origin: 'https://app.test',
      'access-control-request-headers': 'a2a-version,x-y',
    });
    expect([preflight.status, preflight.headers['access-control-allow-headers']]).toEqual([204, 'a2a-version,x-y']);
    const answer = await api.send('GET', '/tasks', { ...V1, origin: 'https://app.test' });
    expect(answer.headers['access-control-allow-origin']).toBe('*');
    expect(answer.headers['access-control-expose-headers']).toContain('A2A-Extensions');
  });

  it('lets only the web pages read answers that it is told of', async () => {
    const strict = await ApiFixture.start({ corsOrigins: ['https://app.test'] });
    try {
      for (const [origin, allow] of [
        ['https://app.test', 'https://app.test'],
        ['https://evil.test', undefined],
      ] as const) {
        for (const method of ['GET', 'OPTIONS']) {
          const { headers } = await strict.send(method, '/tasks', { ...V1, origin });
          expect([method, headers['access-control-allow-origin'], headers['vary']]).toEqual([method, allow, 'Origin']);
        }
      }
    } finally {
      await strict.stop();
    }
  });

  it.each([
    ['NONSENSE\r\n\r\n', 400],
    [`GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
    ['CONNECT a.test:443 HTTP/1.1\r\nHost: a.test\r\n\r\n', 405],
  ])('answers what is not HTTP in JSON (%#)', async (sent, status) => {
    const socket = connect(api.port, '127.0.0.1');
    socket.end(sent);
    let text = '';
    for await (const chunk of socket) text += String(chunk);
    expect(text.slice(0, 13)).toBe(`HTTP/1.1 ${status} `);
    expect(JSON.parse(text.slice(text.indexOf('\r\n\r\n') + 4)).error.code).toBe(status);
  });
});
