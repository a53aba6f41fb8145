import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { A2AClient, stateOf, until } from '../support/a2a-client.js';
import { useCluster } from '../support/cluster.js';

const GRACE_MS = 1500;
const SWEEP_MS = 500;

describe('cancel', () => {
  const cluster = useCluster({
    apis: 2,
    workers: 2,
    env: {
      CANCEL_GRACE_MS: String(GRACE_MS),
      CANCEL_ANSWER_MS: '1000',
      HEARTBEAT_MS: '500',
      LEASE_MS: '1500',
      SWEEP_MS: String(SWEEP_MS),
    },
  });
  const onA = () => new A2AClient(cluster.apiUrl(0)).agent('script');
  const onB = () => new A2AClient(cluster.apiUrl(1)).agent('script');
  const started = async (script: string): Promise<string> => {
    const { id } = await onA().sendForTask(script, { returnImmediately: true });
    await until(onA(), id, (task) => stateOf(task) === 'TASK_STATE_WORKING');
    return id;
  };

  it('stops a running agent well within the grace, and is idempotent', async () => {
    const id = await started('working\nsleep 20000\ncomplete');
    const from = performance.now();
    expect(stateOf(await onB().cancel(id, { reason: 'enough' }))).toBe('TASK_STATE_CANCELED');
    expect(performance.now() - from).toBeLessThan(900);
    expect(stateOf(await onA().cancel(id))).toBe('TASK_STATE_CANCELED');
  });

  it('the metadata of the request reaches the agent as the reason of its abort', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'chorus-cancel-'));
    try {
      const file = join(folder, 'why.json');
      const id = await started(`working\ntell ${file}`);
      await onB().cancel(id, { reason: 'enough', by: { name: 'zoë', emoji: '🛑' } });
      expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({
        name: 'AbortedTurn',
        cause: 'canceled',
        metadata: { reason: 'enough', by: { name: 'zoë', emoji: '🛑' } },
      });
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('I3, I10: an agent that ignores the abort is CANCELED after the grace, and nothing it does later is recorded', async () => {
    const id = await started('working\ndeaf 3000\nartifact late work\ncomplete late');
    const from = performance.now();
    const canceled = await onB().cancel(id);
    expect(stateOf(canceled)).toBe('TASK_STATE_CANCELED');
    expect(performance.now() - from).toBeLessThan(GRACE_MS + SWEEP_MS + 500);
    const events = (await cluster.eventsOf(id)).length;
    const other = await onA().sendForTask('deaf 3500\ncomplete');
    expect(stateOf(other)).toBe('TASK_STATE_COMPLETED');
    expect((await cluster.eventsOf(id)).length).toBe(events);
    expect(await onA().get(id)).toEqual(canceled);
  });

  it('a finished task is not cancelable; an unknown one is not found', async () => {
    const { id } = await onA().sendForTask('complete');
    await expect(onB().cancel(id)).rejects.toMatchObject({ code: -32002 });
    await expect(onB().cancel('no-such-task')).rejects.toMatchObject({ code: -32001 });
  });

  it('a task that waits for its client is canceled at once', async () => {
    const { id } = await onA().sendForTask('input what?');
    expect(stateOf(await onB().cancel(id))).toBe('TASK_STATE_CANCELED');
    await expect(onA().send('complete', { taskId: id })).rejects.toMatchObject({ code: -32004 });
  });

  it('a blocked sender is answered with the canceled task', async () => {
    const blocked = onA().sendForTask('working\nsleep 20000', { contextId: 'blocked' });
    let id: string | undefined;
    while (!id) id = (await onB().list({ contextId: 'blocked', status: 'TASK_STATE_WORKING' })).tasks[0]?.id;
    await onB().cancel(id);
    expect(stateOf(await blocked)).toBe('TASK_STATE_CANCELED');
  });

  it('cancel and a new message at the same moment have one outcome, the same from every replica', async () => {
    for (let i = 0; i < 40; i += 1) {
      const { id } = await onA().sendForTask('input what?');
      const [canceled, sent] = await Promise.allSettled([onA().cancel(id), onB().sendForTask('complete done', { taskId: id })]);
      const a = await onA().get(id);
      expect(await onB().get(id)).toEqual(a);
      expect(['TASK_STATE_CANCELED', 'TASK_STATE_COMPLETED']).toContain(stateOf(a));
      if (canceled?.status === 'fulfilled') expect(stateOf(a)).toBe('TASK_STATE_CANCELED');
      else expect(stateOf(a)).toBe('TASK_STATE_COMPLETED');
      if (sent?.status === 'fulfilled') expect(stateOf(sent.value)).toBe(stateOf(a));
      const ends = (await cluster.statesOf(id)).filter(
        (state) => state === 'TASK_STATE_CANCELED' || state === 'TASK_STATE_COMPLETED',
      );
      expect(ends).toHaveLength(1);
    }
  });

  it('I10: kill -9 of the worker, then CancelTask: CANCELED within seconds', async () => {
    const id = await started('working\nsleep 30000');
    const worker = await cluster.workerOf(id);
    await cluster.killWorker(worker);
    const from = performance.now();
    expect(stateOf(await onB().cancel(id))).toBe('TASK_STATE_CANCELED');
    expect(performance.now() - from).toBeLessThan(GRACE_MS + SWEEP_MS + 1000);
    await cluster.startWorker(worker);
  });

  it('I10: the agent ignores abort and the API that took the cancel is killed: CANCELED within grace and sweep', async () => {
    const id = await started('working\ndeaf 15000\ncomplete');
    const lost = onA()
      .cancel(id)
      .catch(() => undefined);
    await cluster.waitFor(async () => (await cluster.taskRow(id)).cancel_requested_at !== null);
    await cluster.killApi(0);
    await lost;
    const from = performance.now();
    const task = await until(onB(), id, (one) => stateOf(one) === 'TASK_STATE_CANCELED');
    expect(stateOf(task)).toBe('TASK_STATE_CANCELED');
    expect(performance.now() - from).toBeLessThan(GRACE_MS + 2 * SWEEP_MS + 1500);
    await cluster.startApi(0);
  });
});
