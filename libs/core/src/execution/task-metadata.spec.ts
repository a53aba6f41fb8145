import { ControlledExecutor, chunk, status } from './controlled-agent.spec-support.js';
import { TASK, hint, runnerWith } from './runner-fixture.spec-support.js';

describe('the event that ends a turn', () => {
  const setting = { taskMetadata: { cost: 3 } };

  it.each([
    ['says so when the task has no metadata', [chunk('a', '1'), status('COMPLETED')], true],
    ['says nothing when they came with an event before', [setting, chunk('a', '1'), status('COMPLETED')], undefined],
    ['says nothing when they come with it', [chunk('a', '1'), setting], undefined],
  ])('%s', async (_, events, expected) => {
    const executor = new ControlledExecutor();
    const { runner, store, bus } = runnerWith({ executor });
    await store.accept(TASK, 'hi');
    executor.yields(...events);
    executor.ends();
    await runner.run(hint());
    expect(bus.events.at(-1)).toMatchObject({ state: 'TASK_STATE_COMPLETED', endsTurn: true });
    expect(bus.events.map(({ withoutMetadata }) => withoutMetadata).filter(Boolean)).toEqual(expected ? [true] : []);
    expect(bus.events.at(-1)?.withoutMetadata).toBe(expected);
  });

  it('says nothing when an earlier turn gave the task metadata', async () => {
    const executor = new ControlledExecutor();
    const { runner, store, bus } = runnerWith({ executor });
    await store.accept(TASK, 'one');
    executor.yields(setting, status('INPUT_REQUIRED'));
    await runner.run(hint());
    await store.accept(TASK, 'two');
    executor.yields(status('COMPLETED'));
    await runner.run(hint());
    expect(bus.events.map(({ withoutMetadata }) => withoutMetadata)).toEqual([undefined, undefined]);
  });
});
