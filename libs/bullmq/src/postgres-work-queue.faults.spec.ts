import type { ExecuteHint } from '#core';
import { eventually, Inbox, startPostgres, startSilentProxy, type TestPostgres } from '#testing';
import { postgresWorkQueue } from './postgres-work-queue.js';

const hint = (taskId: string): ExecuteHint => ({ agentId: 'echo', taskId, turn: 1, epoch: 0 });

describe('BullMQ on a Postgres that fails', () => {
  let postgres: TestPostgres;
  beforeAll(async () => {
    postgres = await startPostgres();
  }, 60_000);
  afterAll(() => postgres.remove());

  const consuming = async (connectionString: string, agentId = 'echo') => {
    const queue = postgresWorkQueue({ connectionString });
    const taken = new Inbox<string>();
    await queue.consume(agentId, 5, async ({ taskId }) => {
      taken.push(taskId);
      return 'done';
    });
    /** Enqueues until it is taken: what is refused meanwhile may be lost. */
    const expectToWork = async (taskId: string, timeoutMs = 20_000): Promise<void> => {
      const enqueued = (): Promise<boolean> =>
        queue.enqueue([{ ...hint(taskId), agentId }]).then(
          () => true,
          () => false,
        );
      await eventually(enqueued, timeoutMs);
      await eventually(() => taken.items.includes(taskId), timeoutMs);
    };
    return { queue, taken, expectToWork };
  };

  it('goes on when it was restarted, also with a consumer that was made while it was down', async () => {
    const { queue, expectToWork } = await consuming(postgres.url);
    await expectToWork('before');
    await postgres.kill();
    const early = await consuming(postgres.url, 'early');
    try {
      const from = performance.now();
      await expect(queue.enqueue([hint('lost')])).rejects.toThrow();
      expect(performance.now() - from).toBeLessThan(900);
      expect(await queue.healthy()).toBe(false);
      await postgres.start();
      await expectToWork('after');
      await early.expectToWork('early');
    } finally {
      await Promise.all([queue.close(), early.queue.close()]);
    }
  }, 60_000);

  it('notices connections that carry nothing any more and never end', async () => {
    const proxy = await startSilentProxy(postgres.url);
    const { queue, expectToWork } = await consuming(proxy.through(postgres.url), 'silent');
    try {
      await expectToWork('before');
      proxy.silence();
      await expect(queue.enqueue([{ ...hint('lost'), agentId: 'silent' }])).rejects.toThrow();
      await expectToWork('after', 30_000);
    } finally {
      await queue.close();
      proxy.close();
    }
  }, 90_000);
});
