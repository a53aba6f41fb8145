import { A2AClient, stateOf, until } from '../support/a2a-client.js';
import { useCluster } from '../support/cluster.js';

const TIMES = { LEASE_MS: '1500', HEARTBEAT_MS: '500', SWEEP_MS: '400' };
const TASKS = 20;
const TO = 30;

describe('an agent that keeps checkpoints, on 2 workers', () => {
  const cluster = useCluster({ apis: 1, workers: 2, env: TIMES });

  const artifactTexts = async (id: string): Promise<string[]> =>
    (await cluster.eventsOf(id))
      .filter(({ kind }) => kind === 'artifact')
      .map(({ payload }) => JSON.parse(payload).artifactUpdate.artifact.parts[0].text as string);

  it('I4, I9: goes on from the last of them when its worker is killed; no number is lost or doubled', async () => {
    const agent = new A2AClient(cluster.apiUrl(0)).agent('counter');
    const ids = await Promise.all(
      Array.from({ length: TASKS }, async () => (await agent.sendForTask(`${TO} 100`, { returnImmediately: true })).id),
    );
    for (const lost of [0, 1]) {
      await cluster.waitFor(async () => {
        const rows = await cluster.sql(
          `select 1 from task where checkpoint is not null and lease_owner is not null and attempt >= ${lost}`,
        );
        return rows.length > TASKS / 2;
      });
      await Promise.all([cluster.killWorker(0), cluster.killWorker(1)]);
      await Promise.all([cluster.startWorker(0), cluster.startWorker(1)]);
    }
    let resumed = 0;
    for (const id of ids) {
      await until(agent, id, (task) => stateOf(task) === 'TASK_STATE_COMPLETED');
      expect(await artifactTexts(id)).toEqual(Array.from({ length: TO }, (_, n) => `${n + 1} `));
      const events = await cluster.eventsOf(id);
      for (const [at, { payload, attempt }] of events.entries()) {
        const said = /"text":"from (\d+)"/.exec(payload)?.[1];
        if (said === undefined || attempt === 1) continue;
        // What the attempt was given is what was recorded before it began.
        expect(Number(said)).toBe(events.slice(0, at).filter(({ kind }) => kind === 'artifact').length);
        resumed += 1;
      }
    }
    expect(resumed).toBeGreaterThan(TASKS / 4);
    expect(await cluster.sql('select 1 from task where checkpoint is not null')).toEqual([]);
  });

  it('remembers across tasks of a context', async () => {
    const agent = new A2AClient(cluster.apiUrl(0)).agent('counter');
    for (const n of [1, 2]) {
      const task = await agent.sendForTask('1 0', { contextId: 'remembered' });
      expect(task.status.message?.parts).toEqual([{ text: `count ${n} of this context` }]);
    }
  });
});
