import { describeWithRedis } from '#testing';
import { Worker } from 'bullmq';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { A2AClient, stateOf, until } from '../support/a2a-client.js';
import { useCluster } from '../support/cluster.js';

const PREFIX = `stalled_${randomBytes(4).toString('hex')}`;
const QUEUE = 'execute-script';
/** Soon given up for dead; and, as BullMQ has it by itself, a job that stalls a second time fails. */
const TIMES = { lockDuration: 300, stalledInterval: 300, maxStalledCount: 1 };

describeWithRedis('a task whose job stalled out twice', (url) => {
  const cluster = useCluster({ apis: 1, workers: 1, env: { REDIS_PREFIX: PREFIX, REDIS_URL: url } });
  const connection = { host: new URL(url).hostname, port: Number(new URL(url).port), password: new URL(url).password };

  /** Something that takes the queue's job and disappears with it. */
  async function disappearWithAJob(): Promise<void> {
    const thief = new Worker(QUEUE, () => new Promise<never>(() => undefined), { connection, prefix: PREFIX, ...TIMES });
    thief.on('error', () => undefined);
    await once(thief, 'active');
    await thief.close(true);
  }

  it('still runs, once, as the first attempt', async () => {
    const agent = new A2AClient(cluster.apiUrl(0)).agent('script');
    await cluster.stopWorker(0);
    const { id } = await agent.sendForTask('append log once\ncomplete done', { returnImmediately: true });
    await disappearWithAJob();
    await disappearWithAJob();
    const watcher = new Worker(QUEUE, () => new Promise<never>(() => undefined), { connection, prefix: PREFIX, ...TIMES });
    watcher.on('error', () => undefined);
    const failed = once(watcher, 'failed');
    expect(await failed).toMatchObject([
      { data: { turns: [{ taskId: id }] } },
      { message: expect.stringContaining('stalled') },
      'active',
    ]);
    await watcher.close(true);
    expect((await cluster.taskRow(id)).lease_owner).toBeNull();
    await cluster.startWorker(0);
    const done = await until(agent, id, (task) => stateOf(task) === 'TASK_STATE_COMPLETED');
    expect(done.artifacts?.map(({ parts }) => parts)).toEqual([[{ text: 'once' }]]);
    expect((await cluster.eventsOf(id)).map(({ kind, attempt }) => [kind, attempt])).toEqual([
      ['accepted', 0],
      ['status', 1],
      ['artifact', 1],
      ['status', 1],
    ]);
  });
});
