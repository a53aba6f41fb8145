import { chunk, Signal, status } from './controlled-agent.spec-support.js';
import { unavailable } from './watched-turn-store.spec-support.js';
import { hint, runnerWith, TASK, turnsOfTheLoop, until } from './runner-fixture.spec-support.js';

const AT_ONCE = { drainMs: 0, stopMs: 20 };

describe('TaskRunner: drain', () => {
  it('claims nothing more', async () => {
    const { store, runner, executor } = runnerWith();
    await store.accept(TASK, 'hi');
    await runner.drain(AT_ONCE);
    expect(await runner.run(hint())).toBe('later');
    expect(runner.tryRun(hint())).toBe(false);
    expect(executor.contexts).toEqual([]);
  });

  it('a hint that waits for a slot goes back', async () => {
    const { store, runner, executor } = runnerWith({ concurrency: 1 });
    await store.accept('t1', 'a');
    const first = runner.run(hint('t1'));
    const second = runner.run(hint('t2'));
    await executor.started();
    await runner.drain(AT_ONCE);
    expect(await Promise.all([first, second])).toEqual(['done', 'later']);
  });

  it('lets a turn finish within the drain time', async () => {
    const { store, runner, executor, states } = runnerWith();
    await store.accept(TASK, 'hi');
    const done = runner.run(hint());
    await executor.started();
    const drained = runner.drain({ drainMs: 60_000, stopMs: 20 });
    executor.yields(status('COMPLETED'));
    await Promise.all([done, drained]);
    expect(states()).toEqual(['SUBMITTED', 'COMPLETED']);
  });

  it('hands a longer turn back with what it had yielded, the attempt unchanged and the hint with the new epoch', async () => {
    const { store, runner, executor, states, queue } = runnerWith();
    await store.accept(TASK, 'hi');
    const done = runner.run(hint());
    const { signal } = await executor.started();
    executor.yields(chunk('out', 'kept'));
    await until(() => executor.taken === 1);
    await runner.drain(AT_ONCE);
    await done;
    expect(signal.reason).toMatchObject({ cause: 'drain' });
    expect(executor.cleanedUp).toBe(1);
    expect(states()).toEqual(['SUBMITTED', 'WORKING', 'WORKING']);
    expect(store.row(TASK)).toMatchObject({ lease: undefined, lostAttempts: 0, ended: 0 });
    expect(queue.hints).toEqual([{ agentId: 'a', taskId: TASK, turn: 1, epoch: store.row(TASK).epoch }]);
  });

  it('an agent that may not be retried is FAILED, and that is published', async () => {
    const { store, runner, executor, states, queue, bus } = runnerWith({
      agent: { policy: { recovery: 'fail', maxAttempts: 1 } },
    });
    await store.accept(TASK, 'hi');
    const done = runner.run(hint());
    await executor.started();
    await runner.drain(AT_ONCE);
    await done;
    expect(states()).toEqual(['SUBMITTED', 'FAILED']);
    expect(queue.hints).toEqual([]);
    expect(bus.events.map(({ state }) => state)).toEqual(['TASK_STATE_FAILED']);
  });

  it('a cancel that was requested makes it CANCELED', async () => {
    const { store, runner, executor, states } = runnerWith();
    await store.accept(TASK, 'hi');
    const done = runner.run(hint());
    await executor.started();
    store.requestCancel(TASK);
    await runner.drain(AT_ONCE);
    await done;
    expect(states()).toEqual(['SUBMITTED', 'CANCELED']);
  });

  it('an agent that throws while its worker waits for it is FAILED, not handed back', async () => {
    const { store, runner, executor, states } = runnerWith();
    await store.accept(TASK, 'hi');
    const done = runner.run(hint());
    await executor.started();
    const drained = runner.drain({ drainMs: 60_000, stopMs: 20 });
    executor.throws(new Error('no'));
    await Promise.all([done, drained]);
    expect(states()).toEqual(['SUBMITTED', 'FAILED']);
  });

  it('does not wait for an executor that ignores the abort; its lease is released and nothing more is recorded', async () => {
    const { store, runner, executor, states, queue } = runnerWith({ stopsOnAbort: false, cancelGraceMs: 200 });
    await store.accept(TASK, 'hi');
    const done = runner.run(hint());
    await executor.started();
    await runner.drain(AT_ONCE);
    expect(store.holderOf(TASK)).toBeUndefined();
    expect(queue.hints).toHaveLength(1);
    executor.yields(status('COMPLETED'));
    await done;
    expect(states()).toEqual(['SUBMITTED']);
    expect(queue.hints).toHaveLength(1);
  });

  it('a lease that was claimed when the drain was over is released without starting the agent', async () => {
    const { store, runner, executor, queue } = runnerWith();
    const held = new Signal();
    await store.accept(TASK, 'hi');
    store.gate = (call, phase) => (call === 'claim' && phase === 'answer' ? held.promise : undefined);
    const done = runner.run(hint());
    await runner.drain({ drainMs: 0, stopMs: 5 });
    held.resolve();
    await done;
    expect(executor.contexts).toEqual([]);
    expect(store.row(TASK)).toMatchObject({ lease: undefined, lostAttempts: 0 });
    expect(queue.hints).toHaveLength(1);
  });

  it('a turn that was claimed while the drain began has the drain time like any other', async () => {
    const { store, runner, executor, states } = runnerWith();
    const held = new Signal();
    await store.accept(TASK, 'hi');
    store.gate = (call, phase) => (call === 'claim' && phase === 'answer' ? held.promise : undefined);
    const done = runner.run(hint());
    const drained = runner.drain({ drainMs: 60_000, stopMs: 20 });
    held.resolve();
    executor.yields(status('COMPLETED'));
    await Promise.all([done, drained]);
    expect(states()).toEqual(['SUBMITTED', 'COMPLETED']);
  });

  it('ends the consumers before the first hint goes out, and not while turns may still finish', async () => {
    const { store, runner, executor, queue } = runnerWith();
    const order: string[] = [];
    await store.accept(TASK, 'hi');
    const done = runner.run(hint());
    const { signal } = await executor.started();
    await runner.drain(AT_ONCE, async () => {
      await turnsOfTheLoop(3);
      order.push(`consumers, ${queue.hints.length} hints, aborted: ${signal.aborted}`);
    });
    await done;
    expect(order).toEqual(['consumers, 0 hints, aborted: false']);
    expect(queue.hints).toHaveLength(1);
    const idle = runnerWith();
    await idle.runner.drain(AT_ONCE, async () => void order.push('not called'));
    expect(order).toHaveLength(1);
  });

  it('does not end before the hint is out, and gives it again when that is not certain', async () => {
    const { store, runner, executor, queue } = runnerWith();
    await store.accept(TASK, 'hi');
    const done = runner.run(hint());
    await executor.started();
    queue.failing = true;
    const drained = runner.drain({ drainMs: 0, stopMs: 1 });
    await until(() => store.holderOf(TASK) === undefined);
    await new Promise((resolve) => setTimeout(resolve, 50));
    queue.failing = false;
    await drained;
    expect(queue.hints).toHaveLength(1);
    await done;
  });

  it('gives the hint also when the answer to the release was lost', async () => {
    const { store, runner, executor, queue } = runnerWith();
    let losses = 1;
    await store.accept(TASK, 'hi');
    const done = runner.run(hint());
    await executor.started();
    store.gate = (call, phase) => {
      if (call === 'release' && phase === 'answer' && losses-- > 0) unavailable();
    };
    await runner.drain({ drainMs: 0, stopMs: 1000 });
    await done;
    expect(queue.hints).toEqual([{ agentId: 'a', taskId: TASK, turn: 1, epoch: store.row(TASK).epoch }]);
  });

  it('ends although the store has frozen and the queue too', async () => {
    const { store, runner, executor, logger } = runnerWith({ stopsOnAbort: false });
    await store.accept(TASK, 'hi');
    const done = runner.run(hint());
    await executor.started();
    const thawed = new Signal();
    store.gate = () => thawed.promise;
    const from = performance.now();
    await runner.drain(AT_ONCE);
    expect(performance.now() - from).toBeLessThan(4000);
    thawed.resolve();
    executor.ends();
    await done;
    expect(logger.lines.filter(({ level }) => level === 'error')).toEqual([]);
  });

  it('ends although neither the store nor the queue answers', async () => {
    const { store, runner, executor, queue, logger } = runnerWith();
    await store.accept(TASK, 'hi');
    const done = runner.run(hint());
    await executor.started();
    store.gate = unavailable;
    queue.failing = true;
    executor.yields(status('WORKING'));
    await runner.drain(AT_ONCE);
    await done;
    expect(logger.lines.filter(({ level }) => level === 'warn').map(({ message }) => message)).toEqual([
      'A running turn could not be handed back at once; the reconciler moves it on',
    ]);
  });
});
