import { A2AClient, stateOf, until } from '../support/a2a-client.js';
import { useCluster } from '../support/cluster.js';

describe('Postgres frozen', () => {
  const cluster = useCluster({
    apis: 1,
    workers: 2,
    ownPostgres: true,
    env: { LEASE_MS: '3000', HEARTBEAT_MS: '1000', SWEEP_MS: '500' },
  });

  it('after 12 s, four leases long, no live turn has lost its lease and no attempt has risen', async () => {
    const agent = new A2AClient(cluster.apiUrl(0)).agent('script');
    const tasks = await Promise.all(
      Array.from({ length: 50 }, () => agent.sendForTask('working\nchunks 40 500\ncomplete done', { returnImmediately: true })),
    );
    for (const { id } of tasks) await until(agent, id, (task) => stateOf(task) === 'TASK_STATE_WORKING');
    const before = await cluster.sql<{ id: string; lease_epoch: number }>(`select id, lease_epoch from task order by id`);
    await cluster.pausePostgres();
    await new Promise((resolve) => setTimeout(resolve, 12_000));
    await cluster.resumePostgres();
    const after = await cluster.sql<{ id: string; lease_epoch: number }>(
      `select id, lease_epoch from task where lease_owner is not null order by id`,
    );
    for (const row of after) expect(before).toContainEqual(row);
    for (const { id } of tasks) {
      const done = await until(agent, id, (task) => stateOf(task) === 'TASK_STATE_COMPLETED', 40_000);
      expect(done.artifacts?.[0]?.parts).toHaveLength(40);
      expect((await cluster.eventsOf(id)).every(({ attempt }) => attempt <= 1)).toBe(true);
    }
  });
});
