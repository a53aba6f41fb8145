import { ApiKeys, Authentication, newApiKey } from '#auth';
import type { StoredApiKey } from '#core';
import { CardSigner, generateSigningKey, parseSigningKey, verifyAgentCard } from '#signing';
import { InMemoryApiKeyStore, InMemoryDatabase } from '#testing';
import { agent, ApiFixture, type RawAnswer } from './api-fixture.spec-support.js';

const database = new InMemoryDatabase();
const store = new InMemoryApiKeyStore(database);

async function keyWith(more: Partial<StoredApiKey> = {}): Promise<string> {
  const { id, key, secretHash } = newApiKey();
  await store.add({ id, secretHash, tenant: 'acme', principal: 'ada', scopes: ['tasks:read'], createdAt: 0, ...more });
  return key;
}

const getTask = { jsonrpc: '2.0', id: 7, method: 'GetTask', params: { id: 't1' } };
const scopes = ['tasks:write', 'tasks:read'];
const V1 = { 'a2a-version': '1.0' };

describe('with authentication', () => {
  let api: ApiFixture;
  beforeAll(async () => {
    const authentication = new Authentication([new ApiKeys(store)]);
    api = await ApiFixture.start({ authentication, serveV03: true, agents: [agent('echo'), agent('other')] });
  });
  afterAll(() => api.stop());
  beforeEach(() => (api.handler.calls.length = 0));

  const unauthenticated = (answer: RawAnswer, challenge: string): void => {
    expect(answer.status).toBe(401);
    expect(answer.headers).toMatchObject({ 'www-authenticate': challenge, 'cache-control': 'no-store' });
    expect(api.handler.calls).toEqual([]);
  };

  const requests: [string, (headers: Record<string, string>) => Promise<RawAnswer>][] = [
    ['JSON-RPC', (headers) => api.rpc(getTask, { path: '/agents/echo', headers })],
    ['JSON-RPC at the root', (headers) => api.rpc(getTask, { headers })],
    ['a body that is no JSON', (headers) => api.rpc('{', { headers })],
    ['a method that there is not', (headers) => api.rpc({ ...getTask, method: 'Nothing' }, { headers })],
    ['an agent that there is not', (headers) => api.rpc(getTask, { path: '/agents/nobody', headers })],
    ['HTTP+JSON', (headers) => api.send('GET', '/agents/echo/tasks/t1', { ...V1, ...headers })],
    ['HTTP+JSON with a tenant', (headers) => api.send('GET', '/agents/echo/acme/tasks', { ...V1, ...headers })],
    [
      '0.3 over JSON-RPC',
      (headers) => api.rpc({ ...getTask, method: 'tasks/get' }, { headers: { 'a2a-version': '', ...headers } }),
    ],
    ['the list of agents', (headers) => api.send('GET', '/agents', headers)],
    ['0.3 over HTTP+JSON', (headers) => api.send('GET', '/agents/echo/v1/tasks/t1', headers)],
  ];

  it.each(requests)('%s: nobody comes in without a credential', async (_what, send) => {
    unauthenticated(await send({}), 'Bearer realm="chorus"');
  });

  it.each(requests)('%s: nobody comes in with a wrong one', async (_what, send) => {
    unauthenticated(await send({ 'x-api-key': newApiKey().key }), 'Bearer realm="chorus", error="invalid_token"');
  });

  it('says so in the form of the binding', async () => {
    const rpc = await api.rpc(getTask);
    expect(rpc.json).toMatchObject({
      jsonrpc: '2.0',
      id: null,
      error: { code: -32600, data: [expect.objectContaining({ reason: 'UNAUTHENTICATED' })] },
    });
    const rest = await api.send('GET', '/agents/echo/tasks/t1', V1);
    expect(rest.json).toMatchObject({ error: { code: 401, status: 'UNAUTHENTICATED' } });
  });

  it('runs the operation for the principal and the tenant of the key, whatever the request repeats', async () => {
    const headers = { 'x-api-key': await keyWith() };
    expect((await api.rpc(getTask, { headers })).status).toBe(200);
    expect((await api.rpc({ ...getTask, params: { id: 't1', tenant: 'acme' } }, { headers })).status).toBe(200);
    expect((await api.send('GET', '/agents/echo/acme/tasks/t1', { ...V1, ...headers })).status).toBe(200);
    for (const { ctx } of api.handler.calls) expect(ctx).toMatchObject({ tenant: 'acme', principal: { id: 'ada' } });
    expect(api.handler.calls).toHaveLength(3);
  });

  it.each<[string, (headers: Record<string, string>) => Promise<RawAnswer>]>([
    ['in the request', (headers) => api.rpc({ ...getTask, params: { id: 't1', tenant: 'other' } }, { headers })],
    ['in the path', (headers) => api.send('GET', '/agents/echo/other/tasks/t1', { ...V1, ...headers })],
  ])('another tenant %s is refused', async (_where, send) => {
    const answer = await send({ 'x-api-key': await keyWith() });
    expect(answer.status).toBe(403);
    expect(answer.body).toContain('The credential does not permit the tenant other');
    expect(api.handler.calls).toEqual([]);
  });

  it('the key of the tenant without a name is for no other', async () => {
    const answer = await api.send('GET', '/agents/echo/acme/tasks/t1', { ...V1, 'x-api-key': await keyWith({ tenant: '' }) });
    expect(answer.status).toBe(403);
  });

  it('a missing scope is named, in the error and in the challenge', async () => {
    const headers = { 'x-api-key': await keyWith({ scopes: ['tasks:write', 'admin'] }) };
    const answer = await api.rpc(getTask, { headers });
    expect(answer.status).toBe(403);
    expect(answer.headers['www-authenticate']).toBe('Bearer error="insufficient_scope", scope="tasks:read"');
    expect(answer.json).toMatchObject({
      id: 7,
      error: { data: [expect.objectContaining({ metadata: { scope: 'tasks:read' } })] },
    });
    expect(api.handler.calls).toEqual([]);
  });

  it('an agent that is not granted is refused', async () => {
    const headers = { 'x-api-key': await keyWith({ agents: ['other'] }) };
    expect((await api.rpc(getTask, { path: '/agents/other', headers })).status).toBe(200);
    expect((await api.rpc(getTask, { path: '/agents/echo', headers })).status).toBe(403);
  });

  it('a store that does not answer lets nobody in, and says when to try again', async () => {
    const key = await keyWith();
    database.available = false;
    const answer = await api.rpc(getTask, { headers: { 'x-api-key': key } });
    database.available = true;
    expect(answer.status).toBe(503);
    expect(answer.headers['retry-after']).toBe('1');
    expect(api.handler.calls).toEqual([]);
  });

  it('cards, health and preflights are open, and cards say what is needed', async () => {
    for (const path of ['/livez', '/readyz']) expect((await api.send('GET', path)).status).toBe(200);
    expect((await api.send('OPTIONS', '/agents/echo', { origin: 'https://a.example' })).status).toBe(204);
    const card = await api.send('GET', '/agents/echo/.well-known/agent-card.json', V1);
    expect(card.json).toMatchObject({
      securitySchemes: {
        apiKey: { apiKeySecurityScheme: { location: 'header', name: 'X-API-Key' } },
        bearer: { httpAuthSecurityScheme: { scheme: 'Bearer' } },
      },
      securityRequirements: [{ schemes: { apiKey: { list: scopes } } }, { schemes: { bearer: { list: scopes } } }],
    });
    expect(card.json.security).toBeUndefined();
  });

  it('a card with security is signed like any other', async () => {
    const publicUrl = 'https://a.example';
    const current = await parseSigningKey(generateSigningKey('ES256'));
    const cardSigner = new CardSigner({ current, keySetUrl: `${publicUrl}/.well-known/jwks.json` });
    const signing = await ApiFixture.start({ authentication: new Authentication([new ApiKeys(store)]), cardSigner, publicUrl });
    try {
      const card = (await signing.send('GET', '/agents/echo/.well-known/agent-card.json', V1)).json;
      expect(card.securityRequirements).toHaveLength(2);
      expect(await verifyAgentCard(card, { keys: cardSigner.keySet })).toMatchObject({ verified: true, uncovered: [] });
    } finally {
      await signing.stop();
    }
  });

  it('a 0.3 card says it in the words of 0.3', async () => {
    const card = await api.send('GET', '/agents/echo/.well-known/agent.json');
    expect(card.json).toMatchObject({
      securitySchemes: {
        apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
        bearer: { type: 'http', scheme: 'Bearer' },
      },
      security: [{ apiKey: scopes }, { bearer: scopes }],
    });
  });
});
