import { A2AClient, stateOf, until } from '../support/a2a-client.js';
import { useCluster } from '../support/cluster.js';

const TIMES = { LEASE_MS: '1500', HEARTBEAT_MS: '500', SWEEP_MS: '400' };
const ended = (state: string): boolean => /COMPLETED|FAILED|CANCELED/.test(state);

describe('a worker that is paused in the middle of a turn', () => {
  const cluster = useCluster({ apis: 1, workers: 2, env: TIMES });

  it('I4: another finishes; the one that wakes up records nothing and lives on', async () => {
    const agent = new A2AClient(cluster.apiUrl(0)).agent('script');
    const { id } = await agent.sendForTask('attempt\nchunks 30 100\ncomplete done', { returnImmediately: true });
    await cluster.waitFor(async () => (await cluster.eventsOf(id)).length > 5);
    const paused = await cluster.workerOf(id);
    await cluster.pauseWorker(paused);
    const from = performance.now();
    // It wakes up in the midst of the next attempt: only the lease tells the two apart.
    await cluster.waitFor(async () => (await cluster.eventsOf(id)).filter(({ attempt }) => attempt === 2).length > 3);
    await cluster.resumeWorker(paused);
    expect((await cluster.taskRow(id)).state).toBe(2);
    const done = await until(agent, id, (task) => ended(stateOf(task)));
    expect(performance.now() - from).toBeLessThan(20_000);
    expect(stateOf(done)).toBe('TASK_STATE_COMPLETED');
    expect(done.artifacts?.[0]?.parts.map(({ text }) => text)).toEqual(Array.from({ length: 30 }, (_, i) => `${i + 1} `));
    const events = await cluster.eventsOf(id);
    await cluster.waitFor(() => cluster.workerReady(paused));
    const next = await agent.sendForTask('complete still here');
    expect(stateOf(next)).toBe('TASK_STATE_COMPLETED');
    expect(await cluster.eventsOf(id)).toEqual(events);
    expect(events.map(({ attempt }) => attempt).filter((attempt, i, all) => i > 0 && attempt < (all[i - 1] as number))).toEqual(
      [],
    );
  });
});

describe('the only worker, paused past its lease', () => {
  const cluster = useCluster({ apis: 1, workers: 2, env: TIMES, workerEnv: [{}, { WORKER_ROLES: 'reconcile' }] });

  it('I4: its write is refused although nobody has claimed, and it then runs the task again itself', async () => {
    const agent = new A2AClient(cluster.apiUrl(0)).agent('script');
    const { id } = await agent.sendForTask('attempt\nchunks 15 100\ncomplete done', { returnImmediately: true });
    await cluster.waitFor(async () => (await cluster.eventsOf(id)).length > 4);
    await cluster.pauseWorker(0);
    await cluster.waitFor(async () => (await cluster.taskRow(id)).lease_owner === null);
    const reaped = await cluster.taskRow(id);
    const before = await cluster.eventsOf(id);
    await cluster.resumeWorker(0);
    const done = await until(agent, id, (task) => ended(stateOf(task)));
    expect(stateOf(done)).toBe('TASK_STATE_COMPLETED');
    const after = (await cluster.eventsOf(id)).slice(before.length);
    expect(after.every(({ attempt }) => attempt === 2)).toBe(true);
    expect(reaped.attempt).toBe(1);
    expect(done.artifacts?.[0]?.parts).toHaveLength(15);
  });
});

describe('SIGTERM to a worker whose turn is longer than the drain time', () => {
  const cluster = useCluster({
    apis: 1,
    workers: 2,
    env: { DRAIN_MS: '300', STOP_MS: '500' },
    workerEnv: [{ WORKER_ROLES: 'execute' }, { WORKER_ROLES: 'execute' }],
  });

  it('another worker starts it at once, with the attempt unchanged', async () => {
    const agent = new A2AClient(cluster.apiUrl(0)).agent('script');
    const { id } = await agent.sendForTask('attempt\nsleep 6000\ncomplete done', { returnImmediately: true });
    await cluster.waitFor(async () => (await cluster.eventsOf(id)).length > 1);
    const worker = await cluster.workerOf(id);
    const exited = cluster.stopWorker(worker);
    const from = performance.now();
    await cluster.waitFor(async () => {
      const owner = (await cluster.taskRow(id)).lease_owner;
      return owner !== null && !(await cluster.ownedBy(owner, worker));
    });
    // The drain time, the agent's stop and a hint: no sweep takes part, and a lease would take nine seconds.
    expect(performance.now() - from).toBeLessThan(2500);
    await exited;
    const events = await cluster.eventsOf(id);
    expect(events.every(({ attempt }) => attempt <= 1)).toBe(true);
    expect(stateOf(await until(agent, id, (task) => ended(stateOf(task))))).toBe('TASK_STATE_COMPLETED');
    await cluster.startWorker(worker);
  });

  it('with recovery fail the task is FAILED, not stuck', async () => {
    const agent = new A2AClient(cluster.apiUrl(0)).agent('script-fail');
    const { id } = await agent.sendForTask('working\nsleep 20000', { returnImmediately: true });
    await until(agent, id, (task) => stateOf(task) === 'TASK_STATE_WORKING');
    const worker = await cluster.workerOf(id);
    await cluster.stopWorker(worker);
    expect(stateOf(await agent.get(id))).toBe('TASK_STATE_FAILED');
    await cluster.startWorker(worker);
  });
});
