import { describeWithRedis } from '#testing';
import { A2AClient, stateOf, until } from '../support/a2a-client.js';
import { useCluster } from '../support/cluster.js';

describe('restarts', () => {
  const cluster = useCluster({ apis: 2, workers: 2 });
  const onA = () => new A2AClient(cluster.apiUrl(0)).agent('script');
  const onB = () => new A2AClient(cluster.apiUrl(1)).agent('script');

  it('I1: every task that a client was told of is there after all processes were killed, and runs', async () => {
    const told = await Promise.all(
      Array.from({ length: 60 }, (_, i) =>
        (i % 2 ? onA() : onB()).sendForTask('artifact a b\ncomplete done', { returnImmediately: true }),
      ),
    );
    await cluster.killAll();
    await cluster.startAll();
    for (const { id } of told) {
      const task = await until(onB(), id, (one) => stateOf(one) === 'TASK_STATE_COMPLETED');
      expect(task.artifacts).toHaveLength(1);
    }
  });

  it('GetTask is equal byte for byte before and after', async () => {
    const ids = [];
    for (const script of ['complete done', 'artifact a x\ninput q?', 'fail no', 'working\nartifact a 1\nappend a 2\ncomplete']) {
      ids.push((await onA().sendForTask(script)).id);
    }
    const read = async (id: string) =>
      (
        await onA().post(`${cluster.apiUrl(0)}/agents/script`, { jsonrpc: '2.0', id: 1, method: 'GetTask', params: { id } })
      ).text();
    const before = await Promise.all(ids.map(read));
    await cluster.restartAll();
    expect(await Promise.all(ids.map(read))).toEqual(before);
  });

  it('without a worker a task stays SUBMITTED, and runs when one starts', async () => {
    await cluster.killWorker(0);
    await cluster.killWorker(1);
    const { id } = await onA().sendForTask('complete done', { returnImmediately: true });
    expect(stateOf(await onB().get(id))).toBe('TASK_STATE_SUBMITTED');
    await cluster.startWorker(0);
    await until(onB(), id, (task) => stateOf(task) === 'TASK_STATE_COMPLETED');
    await cluster.startWorker(1);
  });

  it('200 blocking follow-ups sent while the workers are stopped are never answered with the earlier INPUT_REQUIRED', async () => {
    const agents = [onA(), onB()];
    const tasks = await Promise.all(
      Array.from({ length: 200 }, (_, i) => (agents[i % 2] as A2AClient).sendForTask('input first?')),
    );
    await cluster.pauseWorker(0);
    await cluster.pauseWorker(1);
    const answers = tasks.map(({ id }, i) => (agents[(i + 1) % 2] as A2AClient).sendForTask('input second?', { taskId: id }));
    await new Promise((resolve) => setTimeout(resolve, 2000));
    await cluster.resumeWorker(0);
    await cluster.resumeWorker(1);
    for (const task of await Promise.all(answers)) {
      expect(stateOf(task)).toBe('TASK_STATE_INPUT_REQUIRED');
      expect(task.status.message?.parts[0]?.text).toBe('second?');
    }
  });

  it('an API that shuts down answers a blocking send with 503 and the task id, ends its streams, and the task goes on', async () => {
    const frames: unknown[] = [];
    const stream = (async () => {
      for await (const frame of onA().stream('working\nsleep 3000\ncomplete')) frames.push(frame);
    })();
    const blocked = onA().post(`${cluster.apiUrl(0)}/agents/script`, {
      jsonrpc: '2.0',
      id: 1,
      method: 'SendMessage',
      params: {
        message: { messageId: 'm', role: 'ROLE_USER', contextId: 'shutdown', parts: [{ text: 'working\nsleep 3000\ncomplete' }] },
      },
    });
    await cluster.waitFor(
      async () => (await onB().list({ contextId: 'shutdown', status: 'TASK_STATE_WORKING' })).totalSize === 1,
    );
    await cluster.stopApi(0);
    const response = await blocked;
    expect(response.status).toBe(503);
    const [task] = (await onB().list({ contextId: 'shutdown' })).tasks;
    expect(await response.text()).toContain(task?.id);
    await stream;
    expect(frames.length).toBeGreaterThan(0);
    await until(onB(), task?.id as string, (one) => stateOf(one) === 'TASK_STATE_COMPLETED');
    await cluster.startApi(0);
  });
});

describeWithRedis('an API killed between its commit and the hint', () => {
  const cluster = useCluster({ apis: 2, workers: 2, ownRedis: true, heldProxy: 'api' });
  const onA = () => new A2AClient(cluster.apiUrl(0)).agent('script');
  const onB = () => new A2AClient(cluster.apiUrl(1)).agent('script');
  const lastTask = async (): Promise<string | undefined> =>
    (await cluster.sql<{ id: string }>('select id from task order by id desc limit 1'))[0]?.id;
  const inRedis = async (id: string): Promise<boolean> => JSON.stringify(await cluster.redis(['keys', `*${id}*`])) !== '[]';

  it('leaves a task, and a message to one, that run all the same', async () => {
    const waiting = await onB().sendForTask('input q?');
    // A new task, then the next turn of one that waits.
    for (const taskId of [undefined, waiting.id]) {
      // An API connects its queue with its first hint.
      await onA().sendForTask('complete first');
      const before = await lastTask();
      cluster.hold();
      const lost = onA()
        .send('complete done', taskId ? { taskId } : {})
        .then(
          () => 'answered',
          ({ message }: Error) => message,
        );
      let id = taskId;
      if (!id) {
        await cluster.waitFor(async () => (await lastTask()) !== before);
        id = await lastTask();
      }
      const task = id as string;
      // The API has written the hint, which it does after its commit, and Redis has not got it.
      await cluster.waitFor(async () => cluster.isHeld(`execute-${task}-`));
      await cluster.killApi(0);
      cluster.releaseHeld();
      expect(await inRedis(task)).toBe(false);
      expect((await cluster.statesOf(task)).at(-1)).toBe('TASK_STATE_SUBMITTED');
      expect(await lost).toBe('fetch failed');
      await until(onB(), task, (one) => stateOf(one) === 'TASK_STATE_COMPLETED');
      await cluster.startApi(0);
    }
  });
});
