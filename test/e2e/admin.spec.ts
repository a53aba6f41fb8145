import { A2AClient } from '../support/a2a-client.js';
import { createKey } from '../support/chorus-command.js';
import { useCluster } from '../support/cluster.js';

describe('the admin API', () => {
  const cluster = useCluster({ apis: 2, workers: 1, env: { CHORUS_AUTH: 'apikey' } });
  const keyFor = async (...args: string[]): Promise<Record<string, string>> => ({
    'x-api-key': (await createKey(cluster.databaseUrl, ...args)).key,
  });
  const erase = async (headers: Record<string, string>, body: object): Promise<unknown> => {
    const response = await fetch(`${cluster.apiUrl(1)}/admin/erase`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
    return response.status === 200 ? response.json() : response.status;
  };

  it('deletes what is meant and nothing else, on whichever replica', async () => {
    const clientOf = async (tenant: string, principal: string): Promise<A2AClient> =>
      new A2AClient(cluster.apiUrl(0), await keyFor('--tenant', tenant, '--principal', principal)).agent('script');
    const [ada, eve] = [await clientOf('acme', 'ada'), await clientOf('umbrella', 'ada')];
    const first = await ada.sendForTask('complete done');
    const second = await ada.sendForTask('complete done', { contextId: 'c' });
    const kept = await eve.sendForTask('complete done', { contextId: 'c' });
    const ofAcme = await keyFor('--tenant', 'acme', '--principal', 'root', '--scope', 'admin');
    const ofAll = await keyFor('--all-tenants', '--principal', 'root', '--scope', 'admin');

    expect(await erase(ofAcme, { tenant: 'umbrella', task: kept.id, confirm: true })).toBe(403);
    expect(await erase(ofAcme, { task: kept.id, confirm: true })).toEqual({ erased: true, tasks: 0, apiKeys: 0, memories: 0 });
    expect(await erase(ofAll, { context: 'c', confirm: true })).toBe(400);
    expect(await erase(ofAcme, { context: 'c' })).toEqual({ erased: false, tasks: 1, apiKeys: 0, memories: 0 });
    expect(await erase(ofAcme, { context: 'c', confirm: true })).toEqual({ erased: true, tasks: 1, apiKeys: 0, memories: 0 });
    await expect(ada.get(second.id)).rejects.toMatchObject({ code: -32001 });
    expect((await ada.get(first.id)).id).toBe(first.id);
    expect(await erase(ofAll, { tenant: 'acme', principal: 'ada', confirm: true })).toEqual({
      erased: true,
      tasks: 1,
      apiKeys: 1,
      memories: 0,
    });
    expect((await eve.list({})).tasks.map(({ id }) => id)).toEqual([kept.id]);
  });

  it.each([
    [['--all-tenants'], 'chorus: --all-tenants is for administration alone: say --scope admin'],
    [['--all-tenants', '--tenant', 'acme', '--scope', 'admin'], 'chorus: --all-tenants and --tenant contradict each other'],
  ])('a key with %j cannot be', async (args, message) => {
    await expect(createKey(cluster.databaseUrl, '--principal', 'root', ...args)).rejects.toThrow(message);
  });
});
