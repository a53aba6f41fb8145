import { A2AClient, stateOf } from '../support/a2a-client.js';
import { chorus, createKey } from '../support/chorus-command.js';
import { useCluster } from '../support/cluster.js';

describe('chorus erase', () => {
  const cluster = useCluster({ apis: 2, workers: 1, env: { CHORUS_AUTH: 'apikey' } });
  const clientOf = async (tenant: string, principal: string): Promise<A2AClient> => {
    const { key } = await createKey(cluster.databaseUrl, '--tenant', tenant, '--principal', principal);
    return new A2AClient(cluster.apiUrl(0), { 'x-api-key': key }).agent('script');
  };
  const erase = (...args: string[]): Promise<string> => chorus(cluster.databaseUrl, 'erase', ...args);

  it('says what it would delete, then deletes that and nothing else', async () => {
    const [ada, eve] = [await clientOf('acme', 'ada'), await clientOf('acme', 'eve')];
    await ada.sendForTask('complete done', { contextId: 'c1' });
    await ada.sendForTask('complete done', { contextId: 'c2' });
    const kept = await eve.sendForTask('complete done', { contextId: 'c1' });
    expect(await erase('--tenant', 'acme', '--principal', 'ada', '--context', 'c1')).toBe(
      '1 task would be deleted: say --yes to delete',
    );
    expect((await ada.list({})).totalSize).toBe(2);
    expect(await erase('--tenant', 'acme', '--principal', 'ada', '--context', 'c1', '--yes')).toBe('Deleted: 1 task');
    expect((await ada.list({})).tasks.map(({ contextId }) => contextId)).toEqual(['c2']);
    expect(await erase('--tenant', 'acme', '--principal', 'ada', '--yes')).toBe('Deleted: 1 task, 1 API key');
    expect((await eve.list({})).tasks.map(({ id }) => id)).toEqual([kept.id]);
    await cluster.waitFor(
      async () =>
        ada.list({}).then(
          () => false,
          () => true,
        ),
      10_000,
    );
  });

  it('a task that runs is stopped, its stream ends, and the worker goes on with others', async () => {
    const bob = await clientOf('umbrella', 'bob');
    const frames: string[] = [];
    let taskId = '';
    const streamed = (async () => {
      for await (const { response } of bob.stream('working\nchunks 1000 20\ncomplete done')) {
        taskId ||= response.task?.id ?? '';
        frames.push(Object.keys(response)[0] as string);
      }
    })().then(
      () => 'ended',
      (error: Error) => error.message,
    );
    await cluster.waitFor(async () => frames.length > 5);
    expect(await erase('--tenant', 'umbrella', '--task', taskId, '--yes')).toBe('Deleted: 1 task');
    expect(await streamed).toMatch(/ended|not found/i);
    await expect(bob.get(taskId)).rejects.toMatchObject({ code: -32001 });
    expect(stateOf(await bob.sendForTask('complete done'))).toBe('TASK_STATE_COMPLETED');
    expect(await cluster.sql(`select 1 from task_event where task_id = '${taskId}'`)).toEqual([]);
  });

  it.each([
    [[], 'chorus: Say whose data'],
    [['--task', 'x'], 'chorus: --task x is not the id of a task'],
  ])('%j means nothing', async (args, message) => {
    await expect(erase(...args)).rejects.toThrow(message);
  });
});
