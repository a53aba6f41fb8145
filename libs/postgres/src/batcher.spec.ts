import { StoreUnavailableError } from '#core';
import { Batcher } from './batcher.js';

interface Call {
  readonly items: readonly string[];
  answer(): void;
  fail(error: Error): void;
}

/** A batcher whose statements are answered by the test; the key of an item is its first letter. */
function batcher(options: { limit?: number; weight?: (item: string) => number } = {}) {
  const calls: Call[] = [];
  const execute = (items: readonly string[]): Promise<readonly string[]> =>
    new Promise((resolve, reject) =>
      calls.push({ items, answer: () => resolve(items.map((item) => item.toUpperCase())), fail: reject }),
    );
  return {
    calls,
    batcher: new Batcher<string, string>(execute, { key: ([letter = '']) => letter, limit: 10, inFlight: 2, ...options }),
  };
}

/** Past the end of this turn of the event loop, at which batches leave. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

describe('Batcher', () => {
  it('sends what comes in one turn of the event loop together, in order of the keys', async () => {
    const { calls, batcher: writes } = batcher();
    const results = ['b', 'a', 'c'].map((item) => writes.submit(item));
    await settled();
    expect(calls.map(({ items }) => items)).toEqual([['a', 'b', 'c']]);
    calls[0]?.answer();
    expect(await Promise.all(results)).toEqual(['B', 'A', 'C']);
  });

  it('sends what comes while the slots are busy together, once one is free', async () => {
    const { calls, batcher: writes } = batcher();
    const results = [];
    for (const items of [['x'], ['y'], ['b', 'a'], ['c']]) {
      results.push(...items.map((item) => writes.submit(item)));
      await settled();
    }
    expect(calls.map(({ items }) => items)).toEqual([['x'], ['y']]);
    calls[0]?.answer();
    await settled();
    expect(calls[2]?.items).toEqual(['a', 'b', 'c']);
    calls[1]?.answer();
    calls[2]?.answer();
    expect(await Promise.all(results)).toEqual(['X', 'Y', 'B', 'A', 'C']);
  });

  it('holds a call back while one of its key is under way', async () => {
    const { calls, batcher: writes } = batcher();
    const results = ['a1', 'a2', 'a3', 'b1'].map((item) => writes.submit(item));
    for (let i = 0; i < 3; i += 1) {
      await settled();
      calls[i]?.answer();
    }
    expect(await Promise.all(results)).toEqual(['A1', 'A2', 'A3', 'B1']);
    expect(calls.map(({ items }) => items)).toEqual([['a1', 'b1'], ['a2'], ['a3']]);
  });

  it('repeats a failed batch row by row, so that a bad row fails alone', async () => {
    const { calls, batcher: writes } = batcher();
    const results = ['a', 'b', 'c'].map((item) => writes.submit(item).catch((error: Error) => error.message));
    await settled();
    calls[0]?.fail(new Error('bad row'));
    for (let i = 1; i < 4; i += 1) {
      await settled();
      if (calls[i]?.items[0] === 'b') calls[i]?.fail(new Error('bad row'));
      else calls[i]?.answer();
    }
    expect(await Promise.all(results)).toEqual(['A', 'bad row', 'C']);
    expect(calls.map(({ items }) => items)).toEqual([['a', 'b', 'c'], ['a'], ['b'], ['c']]);
  });

  it('repeats nothing whose outcome is unknown, and goes on', async () => {
    const { calls, batcher: writes } = batcher();
    const results = ['a', 'b'].map((item) => writes.submit(item).catch((error: Error) => error.name));
    await settled();
    calls[0]?.fail(new StoreUnavailableError('gone'));
    expect(await Promise.all(results)).toEqual(['StoreUnavailableError', 'StoreUnavailableError']);
    const next = writes.submit('a');
    await settled();
    calls[1]?.answer();
    expect(await next).toBe('A');
    expect(calls).toHaveLength(2);
  });

  it('puts no more into a statement than its limits', async () => {
    const { calls, batcher: writes } = batcher({ limit: 3, weight: (item) => (item === 'big' ? 5 * 1024 * 1024 : 1) });
    const results = ['a', 'b', 'c', 'd', 'big', 'e'].map((item) => writes.submit(item));
    await settled();
    for (let i = 0; i < calls.length; i += 1) {
      calls[i]?.answer();
      await settled();
    }
    expect(calls.map(({ items }) => items)).toEqual([['a', 'b', 'c'], ['d', 'e'], ['big']]);
    await Promise.all(results);
  });
});
