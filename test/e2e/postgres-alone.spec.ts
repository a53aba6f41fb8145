import { A2AClient, stateOf, until, type Received } from '../support/a2a-client.js';
import { useCluster } from '../support/cluster.js';

describe('on Postgres alone', () => {
  const cluster = useCluster({ apis: 2, workers: 2, withoutRedis: true });
  const onA = () => new A2AClient(cluster.apiUrl(0)).agent('script');
  const onB = () => new A2AClient(cluster.apiUrl(1)).agent('script');

  it('a message is answered, and every replica shows it', async () => {
    const task = await onA().sendForTask('working\nartifact a b\ncomplete done');
    expect(stateOf(task)).toBe('TASK_STATE_COMPLETED');
    expect(await onB().get(task.id)).toEqual(task);
  });

  it('streams are whole on every replica', async () => {
    const stream = onA().stream('working\nchunks 30 30\ncomplete done');
    const first = (await stream.next()).value as Received;
    const frames: Received[] = [first];
    const subscribed: Received[] = [];
    await Promise.all([
      (async () => {
        for await (const frame of stream) frames.push(frame);
      })(),
      (async () => {
        for await (const frame of onB().subscribe(first.response.task?.id as string, 1)) subscribed.push(frame);
      })(),
    ]);
    expect(frames.map(({ id }) => id)).toEqual(Array.from({ length: 33 }, (_, i) => i + 1));
    expect(subscribed.map(({ id }) => id)).toEqual(frames.map(({ id }) => id));
  });

  it('a conversation goes on, and a cancel reaches the worker', async () => {
    const asked = await onA().sendForTask('input q?');
    const running = await onB().sendForTask('working\nsleep 20000', { taskId: asked.id, returnImmediately: true });
    await until(onA(), running.id, (task) => stateOf(task) === 'TASK_STATE_WORKING');
    const from = performance.now();
    expect(stateOf(await onA().cancel(running.id))).toBe('TASK_STATE_CANCELED');
    expect(performance.now() - from).toBeLessThan(3500);
  });

  it('a killed worker’s task moves on', async () => {
    const { id } = await onA().sendForTask('working\nsleep 500\ncomplete done', { returnImmediately: true });
    await until(onB(), id, (task) => stateOf(task) === 'TASK_STATE_WORKING');
    const worker = await cluster.workerOf(id);
    await cluster.killWorker(worker);
    expect(stateOf(await until(onB(), id, (task) => stateOf(task) === 'TASK_STATE_COMPLETED', 25_000))).toBe(
      'TASK_STATE_COMPLETED',
    );
    await cluster.startWorker(worker);
  });
});
