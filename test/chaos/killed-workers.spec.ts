import { A2AClient, stateOf, type Received } from '../support/a2a-client.js';
import { useCluster } from '../support/cluster.js';
import { runCountdowns, verifyCountdowns } from './countdowns.js';

const TIMES = { LEASE_MS: '1500', HEARTBEAT_MS: '500', SWEEP_MS: '400' };

describe('200 countdowns on 2 APIs and 3 workers', () => {
  const cluster = useCluster({ apis: 2, workers: 3, env: TIMES });

  it('I2, I4, I9: with workers killed at random and restarted, nothing is lost, doubled or out of order', async () => {
    let over = false;
    let kills = 0;
    const killing = (async () => {
      while (!over && kills < 12) {
        await new Promise((resolve) => setTimeout(resolve, 500));
        if (over) break;
        const victim = Math.floor(Math.random() * 3);
        await cluster.killWorker(victim);
        kills += 1;
        await cluster.startWorker(victim);
      }
    })();
    const runs = await runCountdowns(cluster, 200, 'from 20 every 500ms').finally(() => {
      over = true;
    });
    await killing;
    expect(kills).toBeGreaterThan(2);
    await verifyCountdowns(cluster, runs, 20);
  }, 240_000);
});

describe('an agent that crashes its process every time', () => {
  const cluster = useCluster({ apis: 1, workers: 2, env: TIMES, restart: true });

  it('is FAILED after maxAttempts, and its context stays usable', async () => {
    const agent = new A2AClient(cluster.apiUrl(0)).agent('script');
    const task = await agent.sendForTask('working\nexit', { contextId: 'crash' });
    expect(stateOf(task)).toBe('TASK_STATE_FAILED');
    expect(stateOf(await agent.sendForTask('complete', { contextId: 'crash' }))).toBe('TASK_STATE_COMPLETED');
  });

  it('with recovery fail it is FAILED at once', async () => {
    const agent = new A2AClient(cluster.apiUrl(0)).agent('script-fail');
    const frames: Received[] = [];
    for await (const frame of agent.stream('working\nsleep 300\nexit')) frames.push(frame);
    expect(frames.at(-1)?.response.statusUpdate?.status.state).toBe('TASK_STATE_FAILED');
    expect(frames.filter(({ response }) => response.statusUpdate?.status.state === 'TASK_STATE_WORKING')).toHaveLength(1);
  });
});
