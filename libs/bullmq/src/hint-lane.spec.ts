import type { ExecuteHint } from '#core';
import { Deferred } from '#testing';
import { HintLane } from './hint-lane.js';

const hint = (taskId: string): ExecuteHint => ({ agentId: 'a', taskId, turn: 1, epoch: 0 });

/** A lane whose batches the test answers, one by one. */
function lane(deadlineMs = 10_000) {
  const sent: { readonly ids: readonly string[]; readonly answer: Deferred }[] = [];
  const hints = new HintLane((batch) => {
    const answer = new Deferred();
    sent.push({ ids: batch.map(({ taskId }) => taskId), answer });
    return answer.promise;
  }, deadlineMs);
  return { hints, sent, ids: () => sent.map(({ ids }) => ids) };
}

const settled = (work: Promise<void>): Promise<string> =>
  work.then(
    () => 'stored',
    (error: Error) => error.message,
  );

describe('HintLane', () => {
  it('sends the first hint at once, and what comes while it is under way together', async () => {
    const { hints, sent, ids } = lane();
    const all = ['a', 'b', 'c'].map((taskId) => settled(hints.add([hint(taskId)])));
    expect(ids()).toEqual([['a']]);
    sent[0]?.answer.resolve();
    expect(await all[0]).toBe('stored');
    expect(ids()).toEqual([['a'], ['b', 'c']]);
    sent[1]?.answer.resolve();
    expect(await Promise.all(all)).toEqual(['stored', 'stored', 'stored']);
  });

  it('rejects those whose batch failed, and only those', async () => {
    const { hints, sent } = lane();
    const [first, second] = [settled(hints.add([hint('a')])), settled(hints.add([hint('b')]))];
    sent[0]?.answer.reject(new Error('no'));
    expect(await first).toBe('no');
    sent[1]?.answer.resolve();
    expect(await second).toBe('stored');
  });

  it('rejects after the deadline, and never sends what nobody waits for any more', async () => {
    const { hints, sent, ids } = lane(20);
    const late = ['a', 'b'].map((taskId) => settled(hints.add([hint(taskId)])));
    expect((await Promise.all(late)).every((message) => message.includes('within 20 ms'))).toBe(true);
    const next = settled(hints.add([hint('c')]));
    sent[0]?.answer.resolve();
    await Promise.resolve();
    await new Promise((resolve) => setImmediate(resolve));
    expect(ids()).toEqual([['a'], ['c']]);
    sent[1]?.answer.resolve();
    expect(await next).toBe('stored');
  });

  it('keeps batches small, and sends an enqueue that is larger whole', async () => {
    const { hints, sent } = lane();
    const many = (count: number): ExecuteHint[] => Array.from({ length: count }, (_, n) => hint(`t${n}`));
    const all = [many(1), many(600), many(600), many(1500)].map((some) => settled(hints.add(some)));
    for (let batch = 0; batch < 4; batch += 1) {
      sent[batch]?.answer.resolve();
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(sent.map(({ ids }) => ids.length)).toEqual([1, 600, 600, 1500]);
    expect(await Promise.all(all)).toEqual(['stored', 'stored', 'stored', 'stored']);
  });
});
