import { describeWithRedis } from '#testing';
import { A2AClient, stateOf, type Received } from '../support/a2a-client.js';
import { useCluster } from '../support/cluster.js';
import { runCountdowns, verifyCountdowns } from './countdowns.js';

describeWithRedis('Redis away', () => {
  const cluster = useCluster({
    apis: 2,
    workers: 3,
    ownRedis: true,
    env: { LEASE_MS: '3000', HEARTBEAT_MS: '1000', SWEEP_MS: '500' },
  });

  it('I6: frozen for 10 s and emptied in the middle of 200 countdowns: the same outcome, and sends stay fast', async () => {
    const running = runCountdowns(cluster, 200, 'from 20 every 150ms');
    await cluster.waitFor(async () => (await cluster.sql(`select 1 from task where state = 2 limit 1`)).length > 0);
    await cluster.pauseRedis();
    const agent = new A2AClient(cluster.apiUrl(1)).agent('echo');
    const until = performance.now() + 10_000;
    const took: number[] = [];
    while (performance.now() < until) {
      const from = performance.now();
      await agent.sendForTask('while Redis is frozen', { returnImmediately: true });
      took.push(performance.now() - from);
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
    await cluster.resumeRedis();
    await cluster.flushRedis();
    // None waits for Redis. A single one may have waited for a core: 200 tasks run beside it.
    took.sort((a, b) => a - b);
    expect(took[Math.floor(took.length * 0.9)]).toBeLessThan(1000);
    expect(took.at(-1)).toBeLessThan(5000);
    await verifyCountdowns(cluster, await running, 20);
    await cluster.waitFor(async () => (await cluster.sql(`select 1 from task where state in (1, 2) limit 1`)).length === 0);
  });
});

describeWithRedis('Redis frozen', () => {
  const cluster = useCluster({ apis: 2, workers: 1, ownRedis: true, env: { SWEEP_MS: '500' } });
  const onA = () => new A2AClient(cluster.apiUrl(0)).agent('script');
  const onB = () => new A2AClient(cluster.apiUrl(1)).agent('script');
  afterEach(() => cluster.resumeRedis());

  it('blocking sends and streams that begin while no subscription is acknowledged are answered all the same', async () => {
    const asked = await onA().sendForTask('input what?');
    await cluster.pauseRedis();
    const streamed = async (client: A2AClient): Promise<string | undefined> => {
      let last: Received | undefined;
      for await (const frame of client.stream('working\nchunks 5 50\ncomplete done')) last = frame;
      return last?.response.statusUpdate?.status.state;
    };
    const from = performance.now();
    const [sent, followedUp, ...streams] = await Promise.all([
      onA().sendForTask('working\ncomplete done'),
      // On the other replica, which has to subscribe to the task's own channel.
      onB().sendForTask('working\ncomplete done', { taskId: asked.id }),
      streamed(onA()),
      streamed(onB()),
    ]);
    expect([stateOf(sent), stateOf(followedUp)]).toEqual(['TASK_STATE_COMPLETED', 'TASK_STATE_COMPLETED']);
    expect(streams).toEqual(['TASK_STATE_COMPLETED', 'TASK_STATE_COMPLETED']);
    // A sweep until a worker takes it from the store, and a look at the store until its reader knows.
    expect(performance.now() - from).toBeLessThan(6000);
  });

  it('a reader without a subscription asks the store several times a second', async () => {
    const asked = await onA().sendForTask('input what?');
    await cluster.pauseRedis();
    const done = onB()
      .sendForTask('working\nsleep 300\ncomplete done', { taskId: asked.id })
      .then((task) => ({ task, at: performance.now() }));
    await cluster.waitFor(async () => (await cluster.taskRow(asked.id)).state === 3);
    const ended = performance.now();
    const { task, at } = await done;
    expect(stateOf(task)).toBe('TASK_STATE_COMPLETED');
    expect(at - ended).toBeLessThan(700);
  });
});
