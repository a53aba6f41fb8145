import { A2AClient, stateOf, until } from '../support/a2a-client.js';
import { useCluster } from '../support/cluster.js';

const FROZEN_MS = 30_000;
const CHUNKS = 90;

describe('Postgres frozen for 30 s, with the times that are the default', () => {
  const cluster = useCluster({ apis: 1, workers: 2, ownPostgres: true });

  it('no turn of 50 that run loses its lease of 9 s, and no attempt rises', async () => {
    const agent = new A2AClient(cluster.apiUrl(0)).agent('script');
    const tasks = await Promise.all(
      Array.from({ length: 50 }, () =>
        agent.sendForTask(`working\nchunks ${CHUNKS} 500\ncomplete done`, { returnImmediately: true }),
      ),
    );
    for (const { id } of tasks) await until(agent, id, (task) => stateOf(task) === 'TASK_STATE_WORKING');
    const leases = () =>
      cluster.sql<{ id: string; lease_owner: string; lease_epoch: number }>(
        `select id, lease_owner, lease_epoch from task where lease_owner is not null order by id`,
      );
    const before = await leases();
    expect(before).toHaveLength(50);
    await cluster.pausePostgres();
    await new Promise((resolve) => setTimeout(resolve, FROZEN_MS));
    await cluster.resumePostgres();
    // The turns take longer than the outage: all of them are still under way.
    expect(await leases()).toEqual(before);
    for (const { id } of tasks) {
      const done = await until(agent, id, (task) => stateOf(task) === 'TASK_STATE_COMPLETED', 60_000);
      expect(done.artifacts?.[0]?.parts.map(({ text }) => text)).toEqual(Array.from({ length: CHUNKS }, (_, i) => `${i + 1} `));
      const events = await cluster.eventsOf(id);
      expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, i) => i + 1));
      expect(events.every(({ attempt }) => attempt <= 1)).toBe(true);
    }
  });
});
