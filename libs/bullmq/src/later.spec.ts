import type { ExecuteHint } from '#core';
import { Deferred, describeWithRedis, eventually } from '#testing';
import { randomBytes } from 'node:crypto';
import { redisWorkQueue } from './redis-work-queue.js';

const LATER_MS = 400;

describeWithRedis('Hints that are answered `later`', (url) => {
  const hints = (count: number): ExecuteHint[] =>
    Array.from({ length: count }, (_, n) => ({ agentId: 'echo', taskId: `t${n}`, turn: 1, epoch: 0 }));

  it('keep their slot from taking another one meanwhile, and are all handled once the store is back', async () => {
    const queue = redisWorkQueue({ url, prefix: `test-${randomBytes(4).toString('hex')}`, laterMs: LATER_MS });
    try {
      let away = true;
      let answers = 0;
      const handled = new Set<string>();
      const from = performance.now();
      await queue.consume('echo', 4, async ({ taskId }) => {
        answers += 1;
        if (away) return 'later';
        handled.add(taskId);
        return 'done';
      });
      await eventually(() => queue.healthy());
      await queue.enqueue(hints(60));
      await eventually(() => answers >= 8);
      const rounds = Math.ceil((performance.now() - from) / LATER_MS);
      expect(answers).toBeLessThanOrEqual(4 * rounds);
      away = false;
      await eventually(() => handled.size === 60);
    } finally {
      await queue.close();
    }
  });

  it('are handed to another process at once by a consumer that is paused', async () => {
    const prefix = `test-${randomBytes(4).toString('hex')}`;
    const [draining, other] = [redisWorkQueue({ url, prefix, laterMs: 60_000 }), redisWorkQueue({ url, prefix })];
    try {
      const [started, release, taken] = [new Deferred(), new Deferred(), new Deferred()];
      const consumer = await draining.consume('echo', 1, async () => {
        started.resolve();
        await release.promise;
        return 'later';
      });
      await eventually(() => draining.healthy());
      await draining.enqueue(hints(1));
      await started.promise;
      await consumer.pause();
      await other.consume('echo', 1, async () => {
        taken.resolve();
        return 'done';
      });
      release.resolve();
      await taken.promise;
    } finally {
      await Promise.all([draining.close(), other.close()]);
    }
  });

  it('do not hold up a consumer that closes', async () => {
    const queue = redisWorkQueue({ url, prefix: `test-${randomBytes(4).toString('hex')}`, laterMs: 60_000 });
    const answered = new Deferred();
    const consumer = await queue.consume('echo', 1, async () => {
      answered.resolve();
      return 'later';
    });
    await eventually(() => queue.healthy());
    await queue.enqueue(hints(1));
    await answered.promise;
    const from = performance.now();
    await consumer.close();
    await queue.close();
    expect(performance.now() - from).toBeLessThan(1500);
  });
});
