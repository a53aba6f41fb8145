import { jest } from '@jest/globals';
import { SILENT } from '../logger.js';
import { RecordingBus, Signal } from './controlled-agent.spec-support.js';
import { WatchedTurnStore, unavailable } from './watched-turn-store.spec-support.js';
import { LeaseKeeper } from './lease-keeper.js';

const POLICY = { recovery: 'retry', maxAttempts: 3 } as const;

describe('LeaseKeeper', () => {
  let now = 0;
  let keeper: LeaseKeeper;
  let store: WatchedTurnStore;
  let bus: RecordingBus;

  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick'] });
    now = 0;
    store = new WatchedTurnStore();
    bus = new RecordingBus();
    const options = { workerId: 'w1', leaseMs: 9000, heartbeatMs: 3000, outageMs: 60_000 };
    keeper = new LeaseKeeper(store, bus, SILENT, options, () => now);
  });

  afterEach(async () => {
    await keeper.stop();
    jest.useRealTimers();
  });

  /** Time passes for a live process: its timers fire as it does. */
  const live = async (milliseconds: number): Promise<void> => {
    for (let passed = 0; passed < milliseconds; passed += 100) {
      now += 100;
      await jest.advanceTimersByTimeAsync(100);
    }
  };

  const holder = async (taskId: string) => {
    await store.accept(taskId, 'hi');
    const claim = await store.claim({ taskId, workerId: 'w1', leaseMs: 9000, policy: POLICY, contract: 1 });
    const told: unknown[] = [];
    const it = {
      fence: claim!.fence,
      told,
      onLeaseLost: (why: string) => told.push(why),
      onCancelRequested: (metadata: unknown) => told.push({ cancel: metadata }),
    };
    keeper.hold(it);
    return it;
  };

  it('renews all leases in one statement per heartbeat, and none when there are none', async () => {
    keeper.start();
    await live(6000);
    expect(store.heartbeats).toEqual([]);
    const one = await holder('t1');
    const two = await holder('t2');
    await live(9000);
    expect(store.heartbeats.length).toBeGreaterThanOrEqual(3);
    expect(store.heartbeats.length).toBeLessThanOrEqual(4);
    expect(store.heartbeats[0]).toEqual([one.fence, two.fence]);
    keeper.release(one);
    await live(3000);
    expect(store.heartbeats.at(-1)).toEqual([two.fence]);
  });

  it('tells the holder that its lease is lost or its task is to be canceled', async () => {
    keeper.start();
    const lost = await holder('t1');
    const canceled = await holder('t2');
    store.takeLeaseAway('t1');
    store.requestCancel('t2', { why: 'x' });
    await live(3000);
    expect(lost.told).toEqual(['fenced']);
    expect(canceled.told).toContainEqual({ cancel: { why: 'x' } });
  });

  it('an answer about an earlier lease of the task is not the holder’s', async () => {
    keeper.start();
    const old = await holder('t1');
    const held = new Signal();
    store.gate = (call, phase) => (call === 'heartbeat' && phase === 'answer' ? held.promise : undefined);
    store.takeLeaseAway('t1');
    keeper.beat();
    await live(100);
    keeper.release(old);
    const next = await holder('t1');
    held.resolve();
    await live(100);
    expect([old.told, next.told]).toEqual([[], []]);
  });

  it('a nudge brings a cancel at once', async () => {
    keeper.start();
    await live(100);
    const canceled = await holder('t1');
    store.requestCancel('t1');
    bus.listeners.get('worker:w1')?.onMessage({ type: 'cancel', taskId: 't1' });
    await live(100);
    expect(canceled.told).toEqual([{ cancel: {} }]);
  });

  it('a nudge during a renewal is followed by another renewal', async () => {
    keeper.start();
    const canceled = await holder('t1');
    const held = new Signal();
    store.gate = (call, phase) => (call === 'heartbeat' && phase === 'answer' ? held.promise : undefined);
    keeper.beat();
    await live(100);
    store.requestCancel('t1');
    keeper.beat();
    store.gate = () => {};
    held.resolve();
    await live(100);
    expect(canceled.told).toEqual([{ cancel: {} }]);
  });

  it('listens again when the bus was away at the start', async () => {
    bus.failing = true;
    keeper.start();
    await live(1000);
    bus.failing = false;
    await live(3100);
    expect(bus.listeners.has('worker:w1')).toBe(true);
  });

  it('no turn is aborted while the store hangs for 30 s, and the renewal is there within a second of its return', async () => {
    keeper.start();
    const held = new Signal();
    const holders = await Promise.all(Array.from({ length: 50 }, (_, index) => holder(`t${index}`)));
    await live(3000);
    store.gate = (call) => (call === 'heartbeat' ? held.promise : undefined);
    await live(30_000);
    const before = store.heartbeats.length;
    store.gate = () => {};
    held.resolve();
    await live(1000);
    expect(holders.flatMap(({ told }) => told)).toEqual([]);
    expect(now - keeper.lastRenewed).toBeLessThanOrEqual(34_000);
    await live(3000);
    expect(store.heartbeats.length).toBeGreaterThan(before);
    expect(now - keeper.lastRenewed).toBeLessThanOrEqual(3100);
  });

  it('renewals that fail are retried quickly, and the turns go on', async () => {
    keeper.start();
    const { told } = await holder('t1');
    store.gate = (call) => (call === 'heartbeat' ? unavailable() : undefined);
    await live(30_000);
    expect(store.heartbeats.length).toBeGreaterThan(40);
    store.gate = () => {};
    await live(600);
    expect(now - keeper.lastRenewed).toBeLessThanOrEqual(600);
    expect(told).toEqual([]);
  });

  it('an outage beyond the bound aborts the turns', async () => {
    keeper.start();
    const { told } = await holder('t1');
    store.gate = (call) => (call === 'heartbeat' ? unavailable() : undefined);
    await live(59_000);
    expect(told).toEqual([]);
    await live(2000);
    expect(told).toEqual(['outage']);
  });

  it('a process that was paused until its leases may have expired aborts its turns without asking', async () => {
    keeper.start();
    const { told } = await holder('t1');
    await live(3000);
    const asked = store.heartbeats.length;
    now += 9100;
    await jest.advanceTimersByTimeAsync(500);
    expect(told).toEqual(['paused']);
    expect(store.heartbeats.length).toBe(asked);
  });

  it('a pause that the leases outlast costs nothing: they are renewed at once', async () => {
    keeper.start();
    const { told } = await holder('t1');
    await live(3000);
    const asked = store.heartbeats.length;
    now += 6300;
    await jest.advanceTimersByTimeAsync(500);
    expect(store.heartbeats.length).toBe(asked + 1);
    await live(3000);
    expect(told).toEqual([]);
  });

  it('a new lease of a task ends the work under the one before', async () => {
    keeper.start();
    const old = await holder('t1');
    store.takeLeaseAway('t1');
    const next = await holder('t1');
    expect([old.told, next.told]).toEqual([['fenced'], []]);
  });
});
