import { describeWithRedis } from '#testing';
import { A2AClient, stateOf, until, type Received } from '../support/a2a-client.js';
import { useCluster } from '../support/cluster.js';

describeWithRedis('lost signals', () => {
  const cluster = useCluster({ apis: 2, workers: 1, ownRedis: true });
  const onA = () => new A2AClient(cluster.apiUrl(0)).agent('script');
  const onB = () => new A2AClient(cluster.apiUrl(1)).agent('script');

  it('readers whose subscriptions are cut again and again miss nothing', async () => {
    const { id } = await onA().sendForTask('working\nchunks 100 20\ncomplete done', { returnImmediately: true });
    let over = false;
    const cutting = (async () => {
      while (!over) {
        await cluster.redis(['client', 'kill', 'type', 'pubsub']);
        await new Promise((resolve) => setTimeout(resolve, 150));
      }
    })();
    const read = async (client: A2AClient): Promise<(number | undefined)[]> => {
      const ids: (number | undefined)[] = [];
      for await (const frame of client.subscribe(id, 1)) ids.push(frame.id);
      return ids;
    };
    const [a, b] = await Promise.all([read(onA()), read(onB())]);
    over = true;
    await cutting;
    const all = (await cluster.eventsOf(id)).map(({ sequence }) => sequence);
    expect(a).toEqual(all);
    expect(b).toEqual(all);
  });

  it('a subscription that is cut, and the end committed before it is back: the reader ends within 3 s', async () => {
    const { id } = await onA().sendForTask('working\ndeaf 1000\ncomplete done', { returnImmediately: true });
    await until(onA(), id, (task) => stateOf(task) === 'TASK_STATE_WORKING');
    const frames: Received[] = [];
    const reading = (async () => {
      for await (const frame of onB().subscribe(id)) frames.push(frame);
    })();
    // Nobody may subscribe or publish until the end is committed: the signal of the last event is lost for good.
    await cluster.pauseRedis();
    await cluster.waitFor(async () => (await cluster.taskRow(id)).state === 3);
    const ended = performance.now();
    await reading;
    expect(performance.now() - ended).toBeLessThan(3000);
    expect(frames.at(-1)?.response.statusUpdate?.status.state ?? frames.at(-1)?.response.task?.status.state).toBe(
      'TASK_STATE_COMPLETED',
    );
    await cluster.resumeRedis();
  });
});

describeWithRedis('a signal of the end that never reaches a healthy Redis', () => {
  const cluster = useCluster({ apis: 2, workers: 1, ownRedis: true, heldProxy: 'worker' });

  it('its readers, on every replica, and the sender that waits learn of the end within 3 s', async () => {
    const [a, b] = cluster.apiUrls().map((url) => new A2AClient(url).agent('script')) as [A2AClient, A2AClient];
    const contextId = 'never-told';
    const sending = a.sendForTask('working\ndeaf 1500\ncomplete done', { contextId });
    await cluster.waitFor(async () => (await b.list({ contextId, status: 'TASK_STATE_WORKING' })).totalSize === 1);
    const id = (await b.list({ contextId })).tasks[0]?.id as string;
    const streams = [a.subscribe(id), b.subscribe(id)];
    // Subscribed once the first frame is there.
    for (const stream of streams) expect((await stream.next()).value?.response.task?.id).toBe(id);
    cluster.hold();
    const last = streams.map(async (stream) => {
      let state: string | undefined;
      for await (const { response } of stream) state = response.statusUpdate?.status.state;
      return { state, at: performance.now() };
    });
    await cluster.waitFor(async () => (await cluster.taskRow(id)).state === 3);
    const ended = performance.now();
    expect(stateOf(await sending)).toBe('TASK_STATE_COMPLETED');
    expect(performance.now() - ended).toBeLessThan(3000);
    for (const { state, at } of await Promise.all(last)) {
      expect(state).toBe('TASK_STATE_COMPLETED');
      expect(at - ended).toBeLessThan(3000);
    }
    // The worker did publish it, and nobody heard.
    expect(cluster.isHeld(id)).toBe(true);
    cluster.releaseHeld();
  });
});
