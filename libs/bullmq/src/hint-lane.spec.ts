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

/** What was due at the end of the event loop's turn is done. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const settled = (work: Promise<void>): Promise<string> =>
  work.then(
    () => 'stored',
    (error: Error) => error.message,
  );

describe('HintLane', () => {
  it('sends what comes in one turn of the event loop together, and so what comes while that is under way', async () => {
    const { hints, sent, ids } = lane();
    const add = (...taskIds: string[]) => taskIds.map((taskId) => settled(hints.add([hint(taskId)])));
    const first = add('a', 'b');
    await turn();
    const second = add('c', 'd');
    await turn();
    expect(ids()).toEqual([['a', 'b']]);
    sent[0]?.answer.resolve();
    expect(await Promise.all(first)).toEqual(['stored', 'stored']);
    expect(ids()).toEqual([
      ['a', 'b'],
      ['c', 'd'],
    ]);
    sent[1]?.answer.resolve();
    expect(await Promise.all(second)).toEqual(['stored', 'stored']);
  });

  it('rejects those whose batch failed, and only those', async () => {
    const { hints, sent } = lane();
    const first = settled(hints.add([hint('a')]));
    await turn();
    const second = settled(hints.add([hint('b')]));
    sent[0]?.answer.reject(new Error('no'));
    expect(await first).toBe('no');
    sent[1]?.answer.resolve();
    expect(await second).toBe('stored');
  });

  it('rejects after the deadline, and never sends what nobody waits for any more', async () => {
    const { hints, sent, ids } = lane(20);
    const sending = settled(hints.add([hint('a')]));
    await turn();
    const late = [sending, settled(hints.add([hint('b')]))];
    expect((await Promise.all(late)).every((message) => message.includes('within 20 ms'))).toBe(true);
    const next = settled(hints.add([hint('c')]));
    sent[0]?.answer.resolve();
    await turn();
    expect(ids()).toEqual([['a'], ['c']]);
    sent[1]?.answer.resolve();
    expect(await next).toBe('stored');
  });

  it('keeps batches small, and sends an enqueue that is larger whole', async () => {
    const { hints, sent } = lane();
    const many = (count: number): ExecuteHint[] => Array.from({ length: count }, (_, n) => hint(`t${n}`));
    const all = [many(600), many(600), many(1500)].map((some) => settled(hints.add(some)));
    await turn();
    for (let batch = 0; batch < 3; batch += 1) {
      sent[batch]?.answer.resolve();
      await turn();
    }
    expect(sent.map(({ ids }) => ids.length)).toEqual([600, 600, 1500]);
    expect(await Promise.all(all)).toEqual(['stored', 'stored', 'stored']);
  });
});
