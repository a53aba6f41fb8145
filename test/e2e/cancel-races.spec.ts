import { setTimeout as delay } from 'node:timers/promises';
import { A2AClient, stateOf, type RpcError } from '../support/a2a-client.js';
import { useCluster } from '../support/cluster.js';

const RACES = 1000;
const AT_A_TIME = 20;

type Outcome = 'canceled' | 'not cancelable';

describe('1,000 races of a cancel, a message and the end of a turn', () => {
  const cluster = useCluster({ apis: 2, workers: 2, env: { SWEEP_MS: '500' } });

  /** How long a turn takes: longer after it has won and shorter after it has lost, so that a machine of any speed sees both. */
  let turnMs = 20;

  /** Resolves with how the cancel fared, once everything that was said of the task agrees. */
  async function race(i: number, [here, there]: readonly [A2AClient, A2AClient]): Promise<Outcome> {
    const { id } = await here.sendForTask(`working\nsleep ${turnMs}\ncomplete one`, { returnImmediately: true });
    const aside = turnMs * (i % 4) * 0.25;
    const [canceled, sent] = await Promise.allSettled([
      there.cancel(id),
      // With the cancel, or in the midst of the turn.
      delay(aside).then(() => here.sendForTask('complete two', { taskId: id })),
    ]);
    turnMs = Math.max(0, turnMs + (canceled.status === 'fulfilled' ? -2 : 2));
    const [a, b] = await Promise.all([here.get(id), there.get(id)]);
    expect(b).toEqual(a);
    if (canceled.status === 'fulfilled') expect(a).toEqual(canceled.value);
    else expect([(canceled.reason as RpcError).code, stateOf(a)]).toEqual([-32002, 'TASK_STATE_COMPLETED']);
    if (sent.status === 'fulfilled') expect(a).toEqual(sent.value);
    else expect((sent.reason as RpcError).code).toBe(-32004);
    expect(stateOf(a)).toBe(canceled.status === 'fulfilled' ? 'TASK_STATE_CANCELED' : 'TASK_STATE_COMPLETED');
    return canceled.status === 'fulfilled' ? 'canceled' : 'not cancelable';
  }

  it('I10: have one outcome each, the same from both replicas and in every answer', async () => {
    const [a, b] = cluster.apiUrls().map((url) => new A2AClient(url).agent('script')) as [A2AClient, A2AClient];
    const outcomes: Outcome[] = [];
    let next = 0;
    const racer = async (): Promise<void> => {
      while (next < RACES) {
        const i = next;
        next += 1;
        outcomes.push(await race(i, i % 2 ? [a, b] : [b, a]));
      }
    };
    await Promise.all(Array.from({ length: AT_A_TIME }, racer));
    // Races indeed: either side wins often, at any speed.
    expect(outcomes).toHaveLength(RACES);
    for (const outcome of ['canceled', 'not cancelable'])
      expect(outcomes.filter((one) => one === outcome).length).toBeGreaterThan(RACES / 10);
    const [ends] = await cluster.sql(`
      select count(*)::int as tasks, count(*) filter (where ends <> 1 or last <> final)::int as wrong
      from (
        select task_id, count(*) filter (where state in (3, 4, 5, 7)) as ends, max(sequence) as last,
          max(sequence) filter (where state in (3, 4, 5, 7)) as final
        from task_event group by task_id
      ) as task`);
    expect(ends).toEqual({ tasks: RACES, wrong: 0 });
  }, 180_000);
});
