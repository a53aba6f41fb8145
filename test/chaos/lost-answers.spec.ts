import { randomUUID } from 'node:crypto';
import type { Task } from '#protocol';
import { A2AClient, stateOf, until } from '../support/a2a-client.js';
import { useCluster, type Cluster } from '../support/cluster.js';

const completed = (task: Task): boolean => stateOf(task) === 'TASK_STATE_COMPLETED';

/** Every sequence once, from 1, and every event of the first attempt. */
async function expectWholeLog(cluster: Cluster, id: string): Promise<void> {
  const events = await cluster.eventsOf(id);
  expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, i) => i + 1));
  expect(events.every(({ attempt }) => attempt <= 1)).toBe(true);
}

describe('answers that get lost between Postgres and a worker', () => {
  const cluster = useCluster({ apis: 1, workers: 1, lossyProxy: 'worker' });
  const agent = () => new A2AClient(cluster.apiUrl(0)).agent('script');

  it('100 connections cut after the commit of an append and before its answer double nothing and lose nothing', async () => {
    const tasks = await Promise.all(
      Array.from({ length: 10 }, () => agent().sendForTask('working\nchunks 60 50\ncomplete done', { returnImmediately: true })),
    );
    cluster.dropAnswers('append', 100);
    for (const { id } of tasks) {
      const done = await until(agent(), id, completed, 60_000);
      expect(done.artifacts?.[0]?.parts.map(({ text }) => text)).toEqual(Array.from({ length: 60 }, (_, i) => `${i + 1} `));
      await expectWholeLog(cluster, id);
    }
    expect(cluster.answersDropped()).toBeGreaterThan(50);
  });

  it('a claim whose answer is lost is taken up again by the same worker, long before its lease is over', async () => {
    cluster.dropAnswers('claim', 10);
    const from = performance.now();
    const tasks = await Promise.all(Array.from({ length: 20 }, (_, i) => agent().sendForTask(`artifact a ${i}\ncomplete done`)));
    // Left to the reaper, the least of them would wait for a lease of nine seconds, and lose an attempt.
    expect(performance.now() - from).toBeLessThan(7000);
    expect(cluster.answersDropped()).toBe(10);
    for (const [i, task] of tasks.entries()) {
      expect(completed(task)).toBe(true);
      expect(task.artifacts?.map(({ parts }) => parts)).toEqual([[{ text: String(i) }]]);
      await expectWholeLog(cluster, task.id);
      expect(await cluster.taskRow(task.id)).toMatchObject({ attempt: 0, lease_owner: null });
    }
  });
});

describe('answers to a release that get lost', () => {
  const cluster = useCluster({
    apis: 1,
    workers: 2,
    lossyProxy: 'worker',
    env: { DRAIN_MS: '300', STOP_MS: '500', WORKER_ROLES: 'execute' },
  });

  it('the turn goes on elsewhere at once, with the attempt unchanged, though nobody sweeps', async () => {
    const agent = new A2AClient(cluster.apiUrl(0)).agent('script');
    const { id } = await agent.sendForTask('attempt\nsleep 3000\nappend log once\ncomplete done', { returnImmediately: true });
    await until(agent, id, (task) => stateOf(task) === 'TASK_STATE_WORKING');
    const worker = await cluster.workerOf(id);
    cluster.dropAnswers('release', 1);
    const exited = cluster.stopWorker(worker);
    const from = performance.now();
    await cluster.waitFor(async () => {
      const owner = (await cluster.taskRow(id)).lease_owner;
      return owner !== null && !(await cluster.ownedBy(owner, worker));
    });
    expect(performance.now() - from).toBeLessThan(3000);
    expect(cluster.answersDropped()).toBe(1);
    await exited;
    const done = await until(agent, id, completed);
    expect(done.artifacts?.map(({ parts }) => parts)).toEqual([[{ text: 'once' }]]);
    await expectWholeLog(cluster, id);
    await cluster.startWorker(worker);
  });

  it('an agent that may not be retried is FAILED once, and the sender that waits hears of it', async () => {
    const agent = new A2AClient(cluster.apiUrl(0)).agent('script-fail');
    const contextId = randomUUID();
    const sending = agent.sendForTask('working\nsleep 20000', { contextId });
    await cluster.waitFor(async () => (await agent.list({ contextId, status: 'TASK_STATE_WORKING' })).totalSize === 1);
    const id = (await agent.list({ contextId })).tasks[0]?.id as string;
    const worker = await cluster.workerOf(id);
    cluster.dropAnswers('release', 1);
    await cluster.stopWorker(worker);
    expect(cluster.answersDropped()).toBe(1);
    const stopped = performance.now();
    const answered = await sending;
    // Nobody could announce it: the readers are compared with the store every second.
    expect(performance.now() - stopped).toBeLessThan(3000);
    expect(stateOf(answered)).toBe('TASK_STATE_FAILED');
    expect(await cluster.statesOf(id)).toEqual(['TASK_STATE_SUBMITTED', 'TASK_STATE_WORKING', 'TASK_STATE_FAILED']);
    await expectWholeLog(cluster, id);
    await cluster.startWorker(worker);
  });
});

describe('answers that get lost between Postgres and an API', () => {
  const cluster = useCluster({ apis: 1, workers: 1, lossyProxy: 'api' });
  const agent = () => new A2AClient(cluster.apiUrl(0)).agent('script');
  /** The reconciler takes a hint for lost after five seconds, and looks every two. */
  const FOUND_MS = 9000;

  it('a new task whose accept got no answer runs all the same, once, within the time of a lost hint', async () => {
    const contextId = randomUUID();
    for (let i = 0; i < 5; i += 1) {
      cluster.dropAnswers('accept_new', 1);
      await expect(agent().send('append log once\ncomplete done', { contextId })).rejects.toMatchObject({ code: -32603 });
      expect(cluster.answersDropped()).toBe(1);
    }
    const accepted = performance.now();
    await cluster.waitFor(async () => (await agent().list({ contextId, status: 'TASK_STATE_COMPLETED' })).totalSize === 5);
    expect(performance.now() - accepted).toBeLessThan(FOUND_MS);
    const { tasks } = await agent().list({ contextId, includeArtifacts: true });
    expect(tasks.map(({ artifacts }) => artifacts?.map(({ parts }) => parts))).toEqual(tasks.map(() => [[{ text: 'once' }]]));
    for (const { id } of tasks) await expectWholeLog(cluster, id);
  });

  it('repeated under its key it is that task, which runs at once', async () => {
    const contextId = randomUUID();
    const keyed = agent().with({ 'idempotency-key': randomUUID() });
    cluster.dropAnswers('accept_new', 1);
    await expect(keyed.send('append log once\ncomplete done', { contextId, messageId: 'm' })).rejects.toMatchObject({
      code: -32603,
    });
    const from = performance.now();
    const task = await keyed.sendForTask('append log once\ncomplete done', { contextId, messageId: 'm' });
    expect(performance.now() - from).toBeLessThan(3000);
    expect(completed(task)).toBe(true);
    expect((await agent().list({ contextId })).tasks.map(({ id }) => id)).toEqual([task.id]);
    await expectWholeLog(cluster, task.id);
  });

  it('a message to a task, repeated under its key, is one turn', async () => {
    const asked = await agent().sendForTask('input what?');
    const keyed = agent().with({ 'idempotency-key': randomUUID() });
    const followUp = { taskId: asked.id, messageId: 'm' };
    cluster.dropAnswers('accept_follow_up', 1);
    await expect(keyed.send('append log once\ncomplete done', followUp)).rejects.toMatchObject({ code: -32603 });
    expect(cluster.answersDropped()).toBe(1);
    const done = await keyed.sendForTask('append log once\ncomplete done', followUp);
    expect(completed(done)).toBe(true);
    expect(done.history).toHaveLength(4);
    expect((await cluster.eventsOf(asked.id)).filter(({ kind }) => kind === 'accepted')).toHaveLength(2);
    await expectWholeLog(cluster, asked.id);
  });
});
