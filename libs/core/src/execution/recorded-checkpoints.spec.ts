import { chunk, status } from './controlled-agent.spec-support.js';
import { holding, recording, takenAnew } from './recorder-fixture.spec-support.js';
import { unavailable } from './watched-turn-store.spec-support.js';

describe('EventRecorder: checkpoints', () => {
  it('go with the events that were taken before them, in one append', async () => {
    const { store, recorder } = await recording();
    recorder.record(chunk('a', '1'));
    const saved = recorder.checkpoint({ done: 1 });
    recorder.record(chunk('a', '2', true));
    expect(await saved).toBe(true);
    expect(store.appends.map(({ events, checkpoint }) => [events.length, checkpoint])).toEqual([[3, '{"done":1}']]);
  });

  it('need no event; of those that wait the last counts, and nothing is published', async () => {
    const { store, recorder, bus, row } = await recording();
    expect(await Promise.all([recorder.checkpoint(1), recorder.checkpoint(2)])).toEqual([true, true]);
    expect(store.appends.map(({ events, checkpoint }) => [events.length, checkpoint])).toEqual([[0, '2']]);
    expect([bus.events, row.events.length]).toEqual([[], 1]);
  });

  it('are forgotten with the end of the turn', async () => {
    const { store, recorder, row } = await recording();
    await recorder.checkpoint(1);
    recorder.end('TASK_STATE_COMPLETED');
    expect(await recorder.settled()).toMatchObject({ finalState: 'TASK_STATE_COMPLETED' });
    expect(store.appends.at(-1)?.checkpoint).toBeNull();
    expect(row.checkpoint).toBeUndefined();
    expect(await recorder.checkpoint(2)).toBe(true);
    expect(store.appends).toHaveLength(2);
  });

  it('whose answer is lost are recorded once; after the lease is lost they are not', async () => {
    const { store, recorder, told } = await recording();
    let losses = 1;
    store.gate = (call, phase) => {
      if (call === 'append' && phase === 'answer' && losses-- > 0) unavailable();
    };
    expect(await recorder.checkpoint(1)).toBe(true);
    expect(store.appends.map(({ number }) => number)).toEqual([1, 1]);
    await takenAnew(store);
    expect(await recorder.checkpoint(2)).toBe(false);
    expect(told).toEqual(['fenced']);
    expect(await recorder.checkpoint(3)).toBe(false);
  });

  it('must be JSON of a bounded size', async () => {
    const { recorder } = await recording();
    const cycle: unknown[] = [];
    cycle.push(cycle);
    for (const value of [undefined, cycle, 'x'.repeat(65_535)]) {
      await expect(recorder.checkpoint(value as never)).rejects.toMatchObject({ name: 'AgentLimitError' });
    }
    expect(await recorder.checkpoint('x'.repeat(65_534))).toBe(true);
  });

  it('that wait when the recorder halts are told so', async () => {
    const { store, recorder } = await recording();
    const { reached, release } = holding(store);
    recorder.record(status('WORKING'));
    await reached;
    const waiting = recorder.checkpoint(1);
    recorder.halt();
    expect(await waiting).toBe(false);
    release();
    await recorder.settled();
    expect(store.appends).toHaveLength(1);
  });
});
