import { chunk, status } from './controlled-agent.spec-support.js';
import { hint, runnerWith, TASK } from './runner-fixture.spec-support.js';

describe('what an executor is given', () => {
  it('has the history, and a log whose lines carry the ids of the turn', async () => {
    const { store, runner, executor, logger } = runnerWith();
    await store.accept(TASK, 'hi');
    const done = runner.run(hint());
    const context = await executor.started();
    expect(context.history.map(({ parts }) => parts)).toEqual([[{ text: 'hi' }]]);
    context.logger.warn('looked it up', { where: 'there' });
    expect(logger.lines.at(-1)).toMatchObject({
      message: 'looked it up',
      fields: { agentId: 'a', taskId: TASK, turn: 1, attempt: 1, where: 'there' },
    });
    executor.ends();
    await done;
  });

  it('fetches under the signal of the turn, and under one of its own', async () => {
    const signals: AbortSignal[] = [];
    const { store, runner, executor } = runnerWith({
      fetch: async (_url, { signal } = {}) => {
        signals.push(signal as AbortSignal);
        return new Response('ok');
      },
    });
    await store.accept(TASK, 'hi');
    const done = runner.run(hint());
    const context = await executor.started();
    const own = new AbortController();
    await context.fetch('https://example.com/');
    await context.fetch('https://example.com/', { signal: own.signal });
    own.abort();
    expect(signals.map(({ aborted }) => aborted)).toEqual([false, true]);
    store.requestCancel(TASK);
    executor.yields(status('WORKING'));
    await done;
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
  });

  it('has the last checkpoint of an earlier attempt, and none in the next turn', async () => {
    const { store, runner, executor } = runnerWith();
    await store.accept(TASK, 'hi');
    const first = runner.run(hint());
    const context = await executor.started();
    expect(context).not.toHaveProperty('lastCheckpoint');
    executor.yields(chunk('a', '1'));
    await context.checkpoint({ done: 1 });
    store.takeLeaseAway(TASK);
    await expect(context.checkpoint({ done: 'stale' })).rejects.toMatchObject({ name: 'AbortedTurn', cause: 'lease-lost' });
    await first;
    const second = runner.run(hint());
    const next = await executor.started(2);
    expect(next.lastCheckpoint).toEqual({ done: 1 });
    executor.ends();
    await second;
    expect(store.row(TASK).checkpoint).toBeUndefined();
  });

  it('takes no checkpoint and no memory once the turn is aborted', async () => {
    const { store, runner, executor } = runnerWith({ stopsOnAbort: false });
    await store.accept(TASK, 'hi');
    const done = runner.run(hint());
    const context = await executor.started();
    await runner.drain({ drainMs: 0, stopMs: 10 });
    await expect(context.checkpoint(1)).rejects.toMatchObject({ name: 'AbortedTurn', cause: 'drain' });
    await expect(context.memory.set('a', 1)).rejects.toMatchObject({ name: 'AbortedTurn', cause: 'drain' });
    await done;
    expect(store.row(TASK).checkpoint).toBeUndefined();
  });
});
