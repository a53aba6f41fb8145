import { ApiKeys, Authentication, newApiKey } from '#auth';
import type { StoredApiKey } from '#core';
import { InMemoryApiKeyStore, InMemoryDatabase, InMemoryErasureStore } from '#testing';
import { eraseRoute, type AdminCall, type AdminRoute } from '#transport';
import { ApiFixture, type RawAnswer } from './api-fixture.spec-support.js';

const database = new InMemoryDatabase();
const store = new InMemoryApiKeyStore(database);

async function keyWith(more: Partial<StoredApiKey> = {}): Promise<Record<string, string>> {
  const { id, key, secretHash } = newApiKey();
  await store.add({ id, secretHash, tenant: 'acme', principal: 'root', scopes: ['admin'], createdAt: 0, ...more });
  return { 'x-api-key': key };
}

const calls: AdminCall[] = [];
const things = (method: AdminRoute['method'], path: string, result: () => object): AdminRoute => ({
  method,
  path,
  async answer(call) {
    calls.push(call);
    return result();
  },
});

const adminRoutes = [
  things('GET', 'things/:thing', () => ({ found: true })),
  things('DELETE', 'things/:thing', () => ({})),
  things('POST', 'broken', () => {
    throw new Error('the password is swordfish');
  }),
  eraseRoute(new InMemoryErasureStore(database)),
];

describe('the admin API', () => {
  let api: ApiFixture;
  beforeAll(async () => {
    api = await ApiFixture.start({ authentication: new Authentication([new ApiKeys(store)]), adminRoutes });
  });
  afterAll(() => api.stop());
  beforeEach(() => (calls.length = 0));

  const erase = (headers: Record<string, string>, body: unknown): Promise<RawAnswer> =>
    api.send('POST', '/admin/erase', { 'content-type': 'application/json', ...headers }, JSON.stringify(body));

  it.each(['/admin', '/admin/', '/admin/things/1', '/admin/nothing'])(
    '%s tells nobody anything who may not administrate',
    async (path) => {
      const strangers = await api.send('GET', path);
      expect([strangers.status, strangers.headers['www-authenticate']]).toEqual([401, 'Bearer realm="chorus"']);
      const users = await api.send(
        'GET',
        path,
        await keyWith({ scopes: ['tasks:read', 'tasks:write', 'push', 'card:extended'] }),
      );
      expect(users.status).toBe(403);
      expect(users.headers['www-authenticate']).toBe('Bearer error="insufficient_scope", scope="admin"');
      expect(users.json.error).toMatchObject({ code: 403, status: 'PERMISSION_DENIED' });
      expect(calls).toEqual([]);
    },
  );

  it('hands over who asks, path, query and body', async () => {
    const answer = await api.send('GET', '/admin/things/a%2Fb/?q=1&q=2', await keyWith());
    expect([answer.status, answer.json]).toEqual([200, { found: true }]);
    expect(answer.headers).toMatchObject({ 'content-type': 'application/json', 'cache-control': 'no-store' });
    expect(calls).toEqual([expect.objectContaining({ parameters: { thing: 'a/b' }, query: { q: ['1', '2'] }, body: undefined })]);
    expect(calls[0]?.caller).toMatchObject({ principal: { id: 'root' }, tenant: 'acme' });
    expect((await api.send('HEAD', '/admin/things/1', await keyWith())).status).toBe(200);
    expect((await api.send('DELETE', '/admin/things/1', await keyWith())).json).toEqual({});
  });

  it.each<[string, string, string, number, string]>([
    ['an unknown path', 'GET', '/admin/nothing', 404, 'METHOD_NOT_FOUND'],
    ['the root', 'GET', '/admin', 404, 'METHOD_NOT_FOUND'],
    ['another method', 'PUT', '/admin/things/1', 405, 'METHOD_NOT_ALLOWED'],
    ['a body that is no JSON', 'POST', '/admin/broken', 400, 'PARSE_ERROR'],
    ['a fault of the host', 'POST', '/admin/broken', 500, 'INTERNAL'],
  ])('%s is an error in JSON', async (_what, method, path, status, reason) => {
    const body = reason === 'PARSE_ERROR' ? '{' : undefined;
    const answer = await api.send(method, path, { 'content-type': 'application/json', ...(await keyWith()) }, body);
    expect(answer.status).toBe(status);
    expect(answer.json.error.details[0].reason).toBe(reason);
    expect(answer.headers['allow']).toBe(status === 405 ? 'GET, DELETE, HEAD' : undefined);
    expect(answer.body).not.toContain('swordfish');
  });

  it('a body of another type, or that is no object, is refused', async () => {
    const key = await keyWith();
    expect((await api.send('POST', '/admin/erase', { 'content-type': 'text/plain', ...key }, '{}')).status).toBe(415);
    expect((await erase(key, [])).status).toBe(400);
  });

  it.each<[object, string]>([
    [{}, ''],
    [{ confirm: true }, ''],
    [{ principle: 'ada' }, 'principle'],
    [{ tenant: 'acme', constructor: 'x' }, 'constructor'],
    [{ task: 'x' }, 'task'],
    [{ principal: 7 }, 'principal'],
    [{ principal: 'a\u0000' }, 'principal'],
    [{ principal: 'ada', confirm: 'yes' }, 'confirm'],
  ])('%j erases nothing and names the fault', async (body, field) => {
    const answer = await erase(await keyWith(), body);
    expect(answer.status).toBe(400);
    expect(answer.json.error.details[1].fieldViolations[0].field).toBe(field);
  });

  it('counts first, deletes when told so, and only what the credential is for', async () => {
    const user = await keyWith({ tenant: 'umbrella', principal: 'ada', scopes: ['tasks:read'] });
    const theirs = { tenant: 'umbrella', principal: 'ada' };
    expect((await erase(await keyWith(), theirs)).status).toBe(403);
    expect((await erase(await keyWith({ tenant: 'umbrella', agents: ['echo'] }), theirs)).status).toBe(403);
    const everywhere = await keyWith({ tenant: undefined });
    expect((await erase(everywhere, { principal: 'ada' })).status).toBe(400);
    expect((await erase(everywhere, theirs)).json).toEqual({ erased: false, tasks: 0, apiKeys: 1, memories: 0 });
    expect((await api.send('GET', '/agents/echo/tasks/t1', { 'a2a-version': '1.0', ...user })).status).toBe(200);
    expect((await erase(everywhere, { ...theirs, confirm: true })).json).toEqual({
      erased: true,
      tasks: 0,
      apiKeys: 1,
      memories: 0,
    });
    expect((await erase(everywhere, theirs)).json).toEqual({ erased: false, tasks: 0, apiKeys: 0, memories: 0 });
  });

  it('a credential for every tenant is for no operation of A2A, whatever its scopes', async () => {
    const headers = { 'a2a-version': '1.0', ...(await keyWith({ tenant: undefined, scopes: ['admin', 'tasks:read'] })) };
    expect((await api.send('GET', '/agents/echo/acme/tasks/t1', headers)).status).toBe(403);
  });
});

it('without authentication there is no admin API', async () => {
  const api = await ApiFixture.start({ adminRoutes });
  try {
    const answer = await api.send('POST', '/admin/erase', { 'content-type': 'application/json' }, '{"tenant":"","confirm":true}');
    expect(answer.status).toBe(404);
    expect(answer.json.error.message).toContain('the admin API needs CHORUS_AUTH');
  } finally {
    await api.stop();
  }
});
