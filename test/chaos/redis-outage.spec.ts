import { describeWithRedis } from '#testing';
import { A2AClient } from '../support/a2a-client.js';
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
    const slowest: number[] = [];
    while (performance.now() < until) {
      const from = performance.now();
      await agent.sendForTask('while Redis is frozen', { returnImmediately: true });
      slowest.push(performance.now() - from);
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
    await cluster.resumeRedis();
    await cluster.flushRedis();
    expect(Math.max(...slowest)).toBeLessThan(1000);
    await verifyCountdowns(cluster, await running, 20);
    await cluster.waitFor(async () => (await cluster.sql(`select 1 from task where state in (1, 2) limit 1`)).length === 0);
  });
});
