import { ApiKeys, Authentication, newApiKey } from '#auth';
import type { Scope } from '#protocol';
import { CardSigner, generateSigningKey, parseSigningKey, verifyAgentCard } from '#signing';
import { InMemoryApiKeyStore, InMemoryDatabase } from '#testing';
import { agent, ApiFixture } from './api-fixture.spec-support.js';

const store = new InMemoryApiKeyStore(new InMemoryDatabase());

async function keyWith(...scopes: Scope[]): Promise<Record<string, string>> {
  const { id, key, secretHash } = newApiKey();
  await store.add({ id, secretHash, tenant: 'acme', principal: 'ada', scopes, createdAt: 0 });
  return { 'x-api-key': key };
}

const more = (id: string, scopes?: Scope[]) => ({ id, name: id, description: id, tags: ['t'], ...(scopes && { scopes }) });
const extended = {
  ...agent('echo'),
  extendedCard: { description: 'Echoes, and more', skills: [more('more'), more('most', ['admin'])] },
};
const PATH = '/agents/echo/extendedAgentCard';
const V1 = { 'a2a-version': '1.0' };
const idsIn = (card: { skills: { id: string }[] }): string[] => card.skills.map(({ id }) => id);

describe('the extended card', () => {
  let api: ApiFixture;
  let cardSigner: CardSigner;
  let some: Record<string, string>;
  let all: Record<string, string>;
  beforeAll(async () => {
    cardSigner = new CardSigner({
      current: await parseSigningKey(generateSigningKey('ES256')),
      keySetUrl: 'https://p.test/.well-known/jwks.json',
    });
    const authentication = new Authentication([new ApiKeys(store)]);
    const agents = [extended, agent('plain')];
    api = await ApiFixture.start({
      authentication,
      agents,
      cardSigner,
      publicUrl: 'https://p.test',
      corsOrigins: ['https://app.test'],
    });
    some = await keyWith('card:extended');
    all = await keyWith('card:extended', 'admin');
  });
  afterAll(() => api.stop());

  const rpc = (headers: Record<string, string>, params: object = {}) =>
    api.rpc({ jsonrpc: '2.0', id: 1, method: 'GetExtendedAgentCard', params }, { path: '/agents/echo', headers });

  it('has what its author added, for each caller what its scopes permit', async () => {
    for (const [headers, ids] of [
      [some, ['s', 'more']],
      [all, ['s', 'more', 'most']],
    ] as const) {
      const { status, json } = await api.send('GET', PATH, { ...V1, ...headers });
      expect([status, json.description, idsIn(json)]).toEqual([200, 'Echoes, and more', ids]);
      expect((await rpc(headers)).json.result).toMatchObject({ description: json.description, skills: json.skills });
    }
  });

  it('is declared by the cards of those that have one, which tell nothing of what is in it', async () => {
    const cardOf = async (id: string) => api.send('GET', `/agents/${id}/.well-known/agent-card.json`, V1);
    const shown = await cardOf('echo');
    expect([shown.json.capabilities.extendedAgentCard, idsIn(shown.json)]).toEqual([true, ['s']]);
    expect(shown.body).not.toContain('more');
    expect((await cardOf('plain')).json.capabilities.extendedAgentCard).toBe(false);
    const legacy = await api.send('GET', '/agents/echo/.well-known/agent.json');
    expect(legacy.json.supportsAuthenticatedExtendedCard).toBe(true);
  });

  it('is refused to strangers, to who lacks its scope, for another tenant, and where there is none', async () => {
    expect((await api.send('GET', PATH, V1)).status).toBe(401);
    const denied = await api.send('GET', PATH, { ...V1, ...(await keyWith('admin', 'tasks:read')) });
    expect([denied.status, denied.headers['www-authenticate']]).toEqual([403, expect.stringContaining('scope="card:extended"')]);
    expect((await rpc(some, { tenant: 'umbrella' })).json.error.data[0].reason).toBe('PERMISSION_DENIED');
    const none = await api.send('GET', '/agents/plain/extendedAgentCard', { ...V1, ...some });
    expect([none.status, none.json.error.details[0].reason]).toEqual([400, 'UNSUPPORTED_OPERATION']);
  });

  it('is kept by no cache but that of its caller, who is told when it has it', async () => {
    const { headers } = await api.send('GET', PATH, { ...V1, ...some, origin: 'https://app.test' });
    expect(headers).toMatchObject({
      'cache-control': 'private, no-cache',
      vary: 'Origin, Authorization, X-API-Key, Accept, A2A-Version',
      'access-control-allow-origin': 'https://app.test',
    });
    const known = { ...V1, 'if-none-match': headers.etag as string };
    expect((await api.send('GET', PATH, { ...known, ...some })).status).toBe(304);
    expect((await api.send('GET', PATH, { ...known, ...all })).status).toBe(200);
    expect((await api.send('GET', PATH, known)).status).toBe(401);
  });

  it('is signed as any card of 1.0', async () => {
    const { json } = await api.send('GET', PATH, { ...V1, ...all });
    expect(await verifyAgentCard(json, { keys: cardSigner.keySet })).toMatchObject({ verified: true, uncovered: [] });
  });

  it.each([
    [
      'JSON-RPC',
      () =>
        api.rpc(
          { jsonrpc: '2.0', id: 1, method: 'agent/getAuthenticatedExtendedCard' },
          { headers: { ...all, 'a2a-version': '' } },
        ),
    ],
    ['HTTP+JSON', () => api.send('GET', '/v1/card', all)],
  ])('has the form of 0.3 for clients of that, over %s', async (_binding, asked) => {
    const { json } = await asked();
    const card = json.result ?? json;
    expect(card).toMatchObject({
      url: 'https://p.test/agents/echo',
      protocolVersion: '0.3.0',
      supportsAuthenticatedExtendedCard: true,
    });
    expect(card.securitySchemes.apiKey).toMatchObject({ type: 'apiKey', in: 'header', name: 'X-API-Key' });
    expect(idsIn(card)).toEqual(['s', 'more', 'most']);
    for (const field of ['supportedInterfaces', 'signatures']) expect(card).not.toHaveProperty(field);
  });
});

it('is nowhere when nobody is asked for a credential', async () => {
  const api = await ApiFixture.start({ agents: [extended] });
  try {
    const { json } = await api.send('GET', PATH, V1);
    expect(json.error.details[0].reason).toBe('UNSUPPORTED_OPERATION');
    expect((await api.send('GET', '/.well-known/agent-card.json', V1)).json.capabilities.extendedAgentCard).toBe(false);
  } finally {
    await api.stop();
  }
});
