import { ApiKeys, Authentication, newApiKey } from '#auth';
import type { StoredApiKey } from '#core';
import { InMemoryApiKeyStore, InMemoryDatabase, InMemoryPushLedger } from '#testing';
import { pushRoutes } from '#transport';
import { ApiFixture } from './api-fixture.spec-support.js';

const TASKS = ['0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a01', '0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a02'] as const;
const RECEIVER = 'https://r.example';
const DEAD_AT = Date.UTC(2026, 0, 2);

describe('push notifications in the admin API', () => {
  const database = new InMemoryDatabase();
  const keys = new InMemoryApiKeyStore(database);
  let api: ApiFixture;
  beforeAll(async () => {
    const authentication = new Authentication([new ApiKeys(keys)]);
    api = await ApiFixture.start({ authentication, adminRoutes: pushRoutes(new InMemoryPushLedger(database)) });
  });
  afterAll(() => api.stop());
  beforeEach(() => {
    database.pushDeliveries = [];
    for (const [n, taskId] of TASKS.entries()) {
      const events = [{}, {}, {}];
      database.tasks.set(taskId, { taskId, tenant: 'acme', agentId: n === 0 ? 'echo' : 'other', listed: true, events } as never);
      database.pushConfigs.set(`${taskId} c`, {
        ...{ taskId, id: 'c', protocolVersion: '1.0', url: `${RECEIVER}/secret-path`, receiver: RECEIVER, everyEvent: false },
        ...{
          createdAt: 0,
          cursor: 1,
          finished: false,
          dueAt: 0,
          failures: 4,
          failingSince: DEAD_AT - 1000,
          deadAt: DEAD_AT,
          epoch: 1,
        },
      });
      const attempt = {
        taskId,
        configId: 'c',
        sequence: 2,
        outcome: 'failed' as const,
        httpStatus: 503,
        error: 'It answered 503',
      };
      for (const number of [1, 2])
        database.pushDeliveries.push({ ...attempt, attempt: number, durationMs: 5, startedAt: DEAD_AT });
    }
  });

  async function keyWith(more: Partial<StoredApiKey> = {}): Promise<Record<string, string>> {
    const { id, key, secretHash } = newApiKey();
    await keys.add({ id, secretHash, tenant: 'acme', principal: 'root', scopes: ['admin'], createdAt: 0, ...more });
    return { 'x-api-key': key };
  }
  const get = async (path: string, headers?: Record<string, string>) =>
    api.send('GET', `/admin/push${path}`, headers ?? (await keyWith()));
  const redeliver = async (body: object, headers?: Record<string, string>) => {
    const answer = await api.send(
      'POST',
      '/admin/push/redeliver',
      { 'content-type': 'application/json', ...(headers ?? (await keyWith())) },
      JSON.stringify(body),
    );
    return answer.status === 200 ? answer.json : answer.status;
  };
  const dead = (): number => [...database.pushConfigs.values()].filter(({ deadAt }) => deadAt !== undefined).length;

  it('shows how far they have come, and nothing secret', async () => {
    const answer = await get('?dead=true');
    const shown = { configId: 'c', tenant: 'acme', receiver: RECEIVER, state: 'dead', delivered: 1, last: 3, failures: 4 };
    const times = { failingSince: '2026-01-01T23:59:59.000Z', deadSince: '2026-01-02T00:00:00.000Z' };
    expect(answer.json).toEqual({
      configs: [
        { taskId: TASKS[1], agent: 'other', ...shown, ...times },
        { taskId: TASKS[0], agent: 'echo', ...shown, ...times },
      ],
    });
    expect(answer.body).not.toContain('secret-path');
    expect((await get(`?task=${TASKS[0]}&limit=5`)).json.configs).toHaveLength(1);
    expect((await get('?limit=1')).json.configs).toHaveLength(1);
  });

  it('shows each attempt, the newest first', async () => {
    const { json } = await get(`/tasks/${TASKS[0]}/attempts?config=c`);
    const attempt = { configId: 'c', event: 2, outcome: 'failed', httpStatus: 503, error: 'It answered 503', durationMs: 5 };
    const startedAt = '2026-01-02T00:00:00.000Z';
    expect(json).toEqual({ attempts: [2, 1].map((n) => ({ ...attempt, attempt: n, startedAt })) });
    expect((await get(`/tasks/${TASKS[0]}/attempts?config=d`)).json).toEqual({ attempts: [] });
  });

  it('has one task’s delivered again, or all that was given up', async () => {
    expect(await redeliver({ task: TASKS[0], from: 1 })).toEqual({ configs: 1 });
    expect(database.pushConfigs.get(`${TASKS[0]} c`)).toMatchObject({ cursor: 0, failures: 0, deadAt: undefined });
    expect(await redeliver({ dead: true, receiver: 'https://else.example' })).toEqual({ configs: 0 });
    expect(await redeliver({ dead: true, receiver: RECEIVER })).toEqual({ configs: 1 });
    expect(dead()).toBe(0);
  });

  it.each<[object]>([
    [{}],
    [{ task: 'x' }],
    [{ task: TASKS[0], from: 0 }],
    [{ task: TASKS[0], from: '1' }],
    [{ task: TASKS[0], receiver: RECEIVER }],
    [{ dead: true, task: TASKS[0] }],
    [{ dead: true, config: 'c' }],
    [{ dead: 'yes' }],
    [{ all: true }],
  ])('%j is refused, and nothing is changed', async (body) => {
    expect(await redeliver(body)).toBe(400);
    expect(dead()).toBe(2);
  });

  it.each(['?dead=yes', '?limit=0', '?limit=x', '?limit=1&limit=2', '?receiver=x'])('%s is refused', async (query) => {
    expect((await get(query)).status).toBe(400);
  });

  it('is for those who may: of their tenant, of their agents', async () => {
    expect((await get('', await keyWith({ scopes: ['push', 'tasks:read'] }))).status).toBe(403);
    expect((await get('?tenant=acme', await keyWith({ tenant: 'umbrella' }))).status).toBe(403);
    expect((await get('', await keyWith({ tenant: 'umbrella' }))).json).toEqual({ configs: [] });
    expect((await get(`/tasks/${TASKS[0]}/attempts`, await keyWith({ tenant: 'umbrella' }))).json).toEqual({ attempts: [] });
    expect(await redeliver({ dead: true }, await keyWith({ tenant: 'umbrella' }))).toEqual({ configs: 0 });
    expect((await get('', await keyWith({ tenant: undefined }))).status).toBe(400);
    expect((await get('?tenant=acme', await keyWith({ tenant: undefined }))).json.configs).toHaveLength(2);
    const ofEcho = await keyWith({ agents: ['echo'] });
    expect((await get('', ofEcho)).status).toBe(403);
    expect((await get('?agent=echo', ofEcho)).json.configs).toMatchObject([{ agent: 'echo' }]);
    expect(await redeliver({ task: TASKS[1], agent: 'echo' }, ofEcho)).toEqual({ configs: 0 });
    expect(dead()).toBe(2);
  });
});
