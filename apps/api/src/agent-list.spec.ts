import { ApiKeys, Authentication, newApiKey } from '#auth';
import { InMemoryApiKeyStore, InMemoryDatabase } from '#testing';
import { agent, ApiFixture } from './api-fixture.spec-support.js';

const AGENTS = [agent('echo'), { ...agent('research'), workers: 3 }];

const idsOf = ({ agents }: { agents: { id: string }[] }): string[] => agents.map(({ id }) => id);

describe('GET /agents', () => {
  let api: ApiFixture;
  beforeAll(async () => void (api = await ApiFixture.start({ agents: AGENTS })));
  afterAll(() => api.stop());

  it('has every agent, with its card as it is served and its live workers', async () => {
    const { status, headers, json } = await api.send('GET', '/agents');
    expect(status).toBe(200);
    expect(headers).toMatchObject({ 'content-type': 'application/json', 'cache-control': 'no-store' });
    const card = async (id: string): Promise<object> =>
      (await api.send('GET', `/agents/${id}/.well-known/agent-card.json`, { 'a2a-version': '1.0' })).json;
    expect(json.agents).toEqual([
      { id: 'echo', default: true, workers: AGENTS[0]?.workers, card: await card('echo') },
      { id: 'research', default: false, workers: 3, card: await card('research') },
    ]);
  });

  it.each([
    ['q=RESEARCH', ['research']],
    ['q=research&q=nothing', []],
    ['mode=text%2Fplain', ['echo', 'research']],
    ['skill=none', []],
  ])('?%s: %j', async (query, ids) => {
    expect(idsOf((await api.send('GET', `/agents/?${query}`)).json)).toEqual(ids);
  });

  it('names a parameter that there is not', async () => {
    const { status, json } = await api.send('GET', '/agents?skil=x');
    expect(status).toBe(400);
    expect(JSON.stringify(json)).toContain('"field":"skil"');
  });
});

it('GET /agents has those alone that the credential is for', async () => {
  const store = new InMemoryApiKeyStore(new InMemoryDatabase());
  const { id, key, secretHash } = newApiKey();
  const grant = { tenant: 'acme', principal: 'ada', scopes: [], agents: ['research'], createdAt: 0 };
  await store.add({ id, secretHash, ...grant });
  const api = await ApiFixture.start({ agents: AGENTS, authentication: new Authentication([new ApiKeys(store)]) });
  try {
    expect(idsOf((await api.send('GET', '/agents', { 'x-api-key': key })).json)).toEqual(['research']);
  } finally {
    await api.stop();
  }
});
