import type { Consumer, ExecuteHint, WorkQueue } from '#core';
import { Deferred, eventually, Inbox } from '../waiting.js';

export interface WorkQueueUnderTest {
  /** A queue on the same server, as another process would have it. The suite closes it. */
  open(): WorkQueue;
  close?(): Promise<void>;
}

type Describe = (name: string, suite: () => void) => void;

/** What every `WorkQueue` does. A hint that is answered `later` must come back within 5 s. */
export function workQueueContract(
  name: string,
  start: () => Promise<WorkQueueUnderTest>,
  describeSuite: Describe = describe,
): void {
  describeSuite(`WorkQueue: ${name}`, () => {
    let server: WorkQueueUnderTest;
    const queues: WorkQueue[] = [];
    let agents = 0;
    let agentId: string;

    beforeAll(async () => {
      server = await start();
    });
    beforeEach(() => {
      agentId = `agent-${(agents += 1)}`;
    });
    afterEach(async () => {
      await Promise.all(queues.splice(0).map((queue) => queue.close()));
    });
    afterAll(() => server.close?.());

    const open = async (): Promise<WorkQueue> => {
      const queue = server.open();
      queues.push(queue);
      await eventually(() => queue.healthy());
      return queue;
    };
    const hint = (taskId: string, more: Partial<ExecuteHint> = {}): ExecuteHint => ({
      agentId,
      taskId,
      turn: 1,
      epoch: 0,
      ...more,
    });
    const hints = (count: number): ExecuteHint[] => Array.from({ length: count }, (_, n) => hint(`t${n}`));
    const idsOf = (taken: readonly ExecuteHint[]): string[] => taken.map(({ taskId }) => taskId).sort();

    /** Consumes into an inbox; a hint is done when it is taken. */
    const consumeInto = (queue: WorkQueue, taken: Inbox<ExecuteHint>, concurrency = 5): Promise<Consumer> =>
      queue.consume(agentId, concurrency, async (hint) => {
        taken.push(hint);
        return 'done';
      });

    it('brings a hint to a consumer in another process, whole', async () => {
      const [api, worker] = [await open(), await open()];
      const taken = new Inbox<ExecuteHint>();
      await consumeInto(worker, taken);
      const sent = hint('018f0000-0000-7000-8000-000000000001', { turn: 3, epoch: 7 });
      await api.enqueue([sent]);
      expect(await taken.first(1)).toEqual([sent]);
    });

    it('keeps hints until there is a consumer', async () => {
      const queue = await open();
      await queue.enqueue([hint('a'), hint('b')]);
      const taken = new Inbox<ExecuteHint>();
      await consumeInto(await open(), taken);
      expect(idsOf(await taken.first(2))).toEqual(['a', 'b']);
    });

    it('takes no hints for an enqueue of none', async () => {
      await expect((await open()).enqueue([])).resolves.toBeUndefined();
    });

    it('gives each agent its own hints, also out of one enqueue', async () => {
      const queue = await open();
      const other = `${agentId}-other`;
      const [ours, theirs] = [new Inbox<ExecuteHint>(), new Inbox<ExecuteHint>()];
      await consumeInto(queue, ours);
      await queue.consume(other, 1, async (taken) => {
        theirs.push(taken);
        return 'done';
      });
      await queue.enqueue([hint('a'), hint('b', { agentId: other }), hint('c')]);
      expect(idsOf(await ours.first(2))).toEqual(['a', 'c']);
      expect(await theirs.first(1)).toEqual([hint('b', { agentId: other })]);
    });

    it('handles no more than `concurrency` at a time, and as many as that', async () => {
      const queue = await open();
      const started = new Inbox<string>();
      const release = new Deferred();
      let running = 0;
      let most = 0;
      await queue.consume(agentId, 4, async ({ taskId }) => {
        most = Math.max(most, (running += 1));
        started.push(taskId);
        await release.promise;
        running -= 1;
        return 'done';
      });
      await queue.enqueue(hints(12));
      await started.first(4);
      release.resolve();
      await started.first(12);
      expect(most).toBe(4);
    });

    it('takes up hints of one enqueue that a busy process has no room for in another', async () => {
      const [busy, other] = [await open(), await open()];
      const started = new Inbox<string>();
      const release = new Deferred();
      await busy.consume(agentId, 2, async ({ taskId }) => {
        started.push(taskId);
        await release.promise;
        return 'done';
      });
      await busy.enqueue(hints(6));
      await started.first(2);
      const taken = new Inbox<ExecuteHint>();
      await consumeInto(other, taken, 1);
      await taken.first(4);
      expect([...started.items, ...idsOf(taken.items)].sort()).toEqual(hints(6).map(({ taskId }) => taskId));
      release.resolve();
    });

    it('loses and doubles none of many that come at once', async () => {
      const [api, worker] = [await open(), await open()];
      const taken = new Inbox<ExecuteHint>();
      await consumeInto(worker, taken, 20);
      const many = hints(300);
      // All at once would measure whether the server is faster than the deadline of an enqueue.
      for (let from = 0; from < many.length; from += 30) {
        await Promise.all(many.slice(from, from + 30).map((each) => api.enqueue([each])));
      }
      await taken.first(300);
      await eventually(() => taken.items.length >= 300);
      expect(new Set(idsOf(taken.items)).size).toBe(300);
      expect(taken.items).toHaveLength(300);
    });

    it('hands a hint that is given several times while it waits to one consumer, once', async () => {
      const queue = await open();
      for (let time = 1; time <= 3; time += 1) await queue.enqueue([hint('a')]);
      await queue.enqueue([hint('b')]);
      const taken = new Inbox<ExecuteHint>();
      await consumeInto(queue, taken, 1);
      await taken.first(2);
      await queue.enqueue([hint('last')]);
      await taken.first(3);
      expect(taken.items.map(({ taskId }) => taskId)).toEqual(['a', 'b', 'last']);
    });

    it('takes the same hint again once it was handled, and another epoch or turn at any time', async () => {
      const queue = await open();
      const taken = new Inbox<ExecuteHint>();
      await consumeInto(queue, taken);
      await queue.enqueue([hint('a')]);
      await taken.first(1);
      await queue.enqueue([hint('a', { epoch: 1 }), hint('a', { turn: 2 })]);
      await taken.first(3);
      // The id is freed after the handler has answered; until then the same hint is ignored, as it may be.
      await eventually(async () => {
        await queue.enqueue([hint('a')]);
        return taken.items.length > 3;
      });
      expect(taken.items[3]).toEqual(hint('a'));
    });

    it('hands out a repetition while the hint before sits with a consumer that does not go on', async () => {
      const [stuck, other] = [await open(), await open()];
      const [started, release] = [new Deferred(), new Deferred()];
      await stuck.consume(agentId, 1, async () => {
        started.resolve();
        await release.promise;
        return 'done';
      });
      await stuck.enqueue([hint('a')]);
      await started.promise;
      const taken = new Inbox<ExecuteHint>();
      await consumeInto(other, taken);
      await other.enqueue([hint('a', { again: true })]);
      expect(await taken.first(1)).toEqual([hint('a')]);
      release.resolve();
    });

    it('holds one job of a hint that waits, however often it is repeated', async () => {
      const queue = await open();
      await queue.enqueue([hint('a')]);
      for (let repetition = 1; repetition <= 10; repetition += 1) await queue.enqueue([hint('a', { again: true })]);
      await queue.enqueue([hint('last')]);
      const taken = new Inbox<ExecuteHint>();
      await consumeInto(queue, taken, 1);
      await taken.first(2);
      expect(taken.items.map(({ taskId }) => taskId)).toEqual(['a', 'last']);
    });

    it('holds a handful of jobs of a hint that is repeated while its consumers do not go on', async () => {
      const queue = await open();
      const taken = new Inbox<ExecuteHint>();
      const release = new Deferred();
      await queue.consume(agentId, 10, async (given) => {
        taken.push(given);
        if (given.taskId === 'a') await release.promise;
        return 'done';
      });
      await queue.enqueue([hint('a')]);
      await taken.first(1);
      for (let repetition = 1; repetition <= 10; repetition += 1) {
        await queue.enqueue([hint('a', { again: true }), hint(`after-${repetition}`)]);
        await eventually(() => taken.items.some(({ taskId }) => taskId === `after-${repetition}`));
      }
      const stuck = taken.items.filter(({ taskId }) => taskId === 'a').length;
      expect(stuck).toBeLessThan(6);
      release.resolve();
    });

    it('takes a repetition for the hint itself when the one before was lost', async () => {
      const queue = await open();
      await queue.enqueue([hint('a', { again: true })]);
      const taken = new Inbox<ExecuteHint>();
      await consumeInto(queue, taken);
      expect(await taken.first(1)).toEqual([hint('a')]);
    });

    it('brings a hint that was answered `later` back, and goes on with others', async () => {
      const queue = await open();
      const taken = new Inbox<string>();
      let away = true;
      await queue.consume(agentId, 2, async ({ taskId }) => {
        taken.push(taskId);
        return taskId === 'a' && away ? 'later' : 'done';
      });
      await queue.enqueue([hint('a')]);
      await taken.first(1);
      away = false;
      await queue.enqueue([hint('b')]);
      expect([...(await taken.first(3))].sort()).toEqual(['a', 'a', 'b']);
    });

    it('uses up the hint of a handler that throws, and goes on', async () => {
      const queue = await open();
      const taken = new Inbox<string>();
      await queue.consume(agentId, 1, async ({ taskId }) => {
        taken.push(taskId);
        if (taskId === 'a') throw new Error('the test says so');
        return 'done';
      });
      await queue.enqueue([hint('a'), hint('b')]);
      expect(await taken.first(2)).toEqual(['a', 'b']);
    });

    it('takes nothing after `pause`, while what is being handled goes on; another process takes the rest', async () => {
      const [draining, other] = [await open(), await open()];
      const started = new Inbox<string>();
      const release = new Deferred();
      const consumer = await draining.consume(agentId, 1, async ({ taskId }) => {
        started.push(taskId);
        await release.promise;
        return 'done';
      });
      await draining.enqueue([hint('a')]);
      await started.first(1);
      await consumer.pause();
      await draining.enqueue(['b', 'c', 'd'].map((taskId) => hint(taskId)));
      const taken = new Inbox<ExecuteHint>();
      await consumeInto(other, taken);
      expect(idsOf(await taken.first(3))).toEqual(['b', 'c', 'd']);
      release.resolve();
      await consumer.close();
      expect(started.items).toEqual(['a']);
    });

    it('gives a hint that was answered `later` by a paused consumer to another process', async () => {
      const [draining, other] = [await open(), await open()];
      const started = new Inbox<string>();
      const release = new Deferred();
      const consumer = await draining.consume(agentId, 1, async ({ taskId }) => {
        started.push(taskId);
        await release.promise;
        return 'later';
      });
      await draining.enqueue([hint('a')]);
      await started.first(1);
      await consumer.pause();
      const taken = new Inbox<ExecuteHint>();
      await consumeInto(other, taken);
      release.resolve();
      expect(await taken.first(1)).toEqual([hint('a')]);
      await consumer.close();
    });

    it('waits for running handlers when a consumer closes, unless it is forced', async () => {
      const queue = await open();
      const started = new Inbox<string>();
      const [releaseA, releaseB] = [new Deferred(), new Deferred()];
      const handler =
        (release: Deferred) =>
        async ({ taskId }: ExecuteHint) => {
          started.push(taskId);
          await release.promise;
          return 'done' as const;
        };
      const first = await queue.consume(agentId, 1, handler(releaseA));
      await queue.enqueue([hint('a')]);
      await started.first(1);
      let closed = false;
      const closing = first.close().then(() => (closed = true));
      const second = await queue.consume(agentId, 1, handler(releaseB));
      await queue.enqueue([hint('b')]);
      await started.first(2);
      await second.close(true);
      expect(closed).toBe(false);
      releaseA.resolve();
      await closing;
      releaseB.resolve();
    });

    it('refuses work once it is closed, and is not healthy', async () => {
      const queue = await open();
      await queue.close();
      await expect(queue.enqueue([hint('a')])).rejects.toThrow();
      await expect(queue.consume(agentId, 1, async () => 'done')).rejects.toThrow();
      expect(await queue.healthy()).toBe(false);
    });
  });
}
