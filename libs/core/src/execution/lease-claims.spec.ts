import { RecordingLogger, Signal } from './controlled-agent.spec-support.js';
import { WatchedTurnStore, unavailable } from './watched-turn-store.spec-support.js';
import { LeaseClaims } from './lease-claims.js';
import { TASK } from './runner-fixture.spec-support.js';

async function claiming(leaseMs = 5000) {
  const store = new WatchedTurnStore();
  const logger = new RecordingLogger();
  const running = new Set<string>();
  const claims = new LeaseClaims({ store, logger, isRunning: (taskId) => running.has(taskId) });
  await store.accept(TASK, 'hi');
  const claim = (taskId = TASK) =>
    claims.claim({ taskId, workerId: 'w1', leaseMs, policy: { recovery: 'retry', maxAttempts: 3 }, contract: 1 });
  /** The answers of the next claims are lost. */
  const lose = (count: number): void => {
    let left = count;
    store.gate = (call, phase) => {
      if (call === 'claim' && phase === 'answer' && left-- > 0) unavailable();
    };
  };
  return { store, logger, running, claims, claim, lose };
}

describe('LeaseClaims', () => {
  it('a claim whose answer was lost, again and again, is repeated and has its lease, as the same attempt', async () => {
    const { store, claim, lose } = await claiming();
    lose(2);
    expect(await claim()).toMatchObject({ turn: 1, attempt: 1, fence: { epoch: store.row(TASK).epoch } });
    expect(store.claims).toEqual(['claim', 'again', 'again']);
    expect(store.row(TASK)).toMatchObject({ lease: { owner: 'w1' }, epoch: 3 });
  });

  it('one that never reached the store is repeated too', async () => {
    const { store, claim } = await claiming();
    let outages = 1;
    store.gate = (call, phase) => {
      if (call === 'claim' && phase === 'request' && outages-- > 0) unavailable();
    };
    expect(await claim()).toMatchObject({ turn: 1, fence: { epoch: 1 } });
  });

  it('other hints of the task are used up meanwhile: there is one claim for all', async () => {
    const { store, claim, lose } = await claiming();
    lose(1);
    const first = claim();
    await new Promise((resolve) => setImmediate(resolve));
    expect(await claim()).toBeUndefined();
    expect(await first).toMatchObject({ turn: 1 });
    expect(store.claims).toEqual(['claim', 'again']);
  });

  it('of two claims that were lost one is repeated', async () => {
    const { store, claim } = await claiming();
    let outages = 2;
    store.gate = (call, phase) => {
      if (call === 'claim' && phase === 'request' && outages-- > 0) unavailable();
    };
    const claims = await Promise.all([claim(), claim()]);
    expect(claims.filter((one) => one !== undefined)).toHaveLength(1);
    expect(store.claims).toEqual(['claim', 'claim', 'again']);
  });

  it('takes nothing from a turn that runs here', async () => {
    const { store, claim, lose, running } = await claiming();
    lose(1);
    const first = claim();
    running.add(TASK);
    expect(await first).toBeUndefined();
    expect(store.claims).toEqual(['claim']);
  });

  it('waits for another claim of the task that is under way here, and takes nothing from it', async () => {
    const { store, claim, running } = await claiming();
    const held = new Signal();
    const answered: (() => Promise<void> | void)[] = [() => held.promise, unavailable];
    store.gate = (call, phase) => (call === 'claim' && phase === 'request' ? answered.shift()?.() : undefined);
    const slow = claim();
    const lost = claim();
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect(store.claims).toEqual(['claim', 'claim']);
    held.resolve();
    const won = await slow;
    running.add(TASK);
    expect(won?.fence.epoch).toBe(1);
    expect(await lost).toBeUndefined();
    expect(store.row(TASK).epoch).toBe(1);
  });

  it('ends for want of an answer after the time of a lease', async () => {
    const { store, claim, logger } = await claiming(700);
    store.gate = unavailable;
    await expect(claim()).rejects.toThrow('the test says so');
    store.gate = () => {};
    expect(await claim()).toMatchObject({ turn: 1 });
    expect(logger.lines.map(({ level }) => level)).toEqual(['warn']);
  });

  it('ends at once when the worker drains', async () => {
    const { store, claim, claims } = await claiming(60_000);
    store.gate = unavailable;
    const lost = claim();
    await new Promise((resolve) => setImmediate(resolve));
    claims.close();
    await expect(lost).rejects.toThrow('the test says so');
  });
});
