import { A2AClient, stateOf } from '../support/a2a-client.js';
import { chorus, createKey } from '../support/chorus-command.js';
import { useCluster } from '../support/cluster.js';
import { redisKeysWith, rowsWith } from '../support/leaks.js';
import { addPushConfigs, PUSH_ENV } from '../support/push-configs.js';
import { PushReceiver } from '../support/push-receiver.js';

describe('chorus erase', () => {
  const cluster = useCluster({ apis: 2, workers: 1, env: { CHORUS_AUTH: 'apikey', ...PUSH_ENV }, ownRedis: true });
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

  it('leaves nothing of what it deletes, also while workers write and deliver it', async () => {
    const receiver = await PushReceiver.start();
    try {
      const word = 'xyzzy-4711';
      const eve = await clientOf('initech', 'eve');
      const text = `working ${word}\nappend ${word} ${word}\nmetadata {"k":"${word}"}\nchunks 100000 1`;
      const running = await Promise.all(
        Array.from({ length: 20 }, (_, n) =>
          eve.with({ 'idempotency-key': `${word}-${n}` }).sendForTask(text, { returnImmediately: true, contextId: word }),
        ),
      );
      const done = await eve.with({ 'idempotency-key': `${word}-done` }).sendForTask(`append a ${word}\ncomplete ${word}`);
      await eve.sendForTask(`input ${word}`);
      const ids = running.map(({ id }) => id);
      await addPushConfigs(cluster, ids, receiver, { id: word, everyEvent: true, scheme: word });
      // A task that was deleted for its age leaves its key until that expires.
      await cluster.sql(`delete from task_event where task_id = '${done.id}'`);
      await cluster.sql(`delete from task where id = '${done.id}'`);
      await cluster.waitFor(async () => receiver.got.length > 20);
      expect(await rowsWith(cluster, word)).not.toEqual([]);

      expect(await erase('--tenant', 'initech', '--principal', 'eve', '--yes')).toBe('Deleted: 21 tasks, 1 API key');
      // Once the worker has let go of all of them, nothing more can come.
      await cluster.waitFor(async () => ((await cluster.redis(['keys', '*:active'])) as string[]).length === 0);
      expect(await rowsWith(cluster, word)).toEqual([]);
      expect(await redisKeysWith(cluster, word)).toEqual([]);
    } finally {
      await receiver.close();
    }
  });

  it.each([
    [[], 'chorus: Say whose data'],
    [['--task', 'x'], 'chorus: --task x is not the id of a task'],
  ])('%j means nothing', async (args, message) => {
    await expect(erase(...args)).rejects.toThrow(message);
  });
});
