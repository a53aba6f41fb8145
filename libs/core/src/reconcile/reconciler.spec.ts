import { jest } from '@jest/globals';
import { RecordingBus, RecordingLogger, RecordingQueue, Signal } from '../execution/controlled-agent.spec-support.js';
import { EventPublisher } from '../execution/event-publisher.js';
import { statusFrame } from '../execution/status-event.js';
import type { ExpiredLease, OverdueCancel, PendingWork, Reaped } from '../ports/reconcile-store.js';
import { ReconcileStore } from '../ports/reconcile-store.js';
import type { EndingStatus } from '../ports/turn-store.js';
import type { TaskEvent } from '../task/task-event.js';
import { Reconciler } from './reconciler.js';

const event = (taskId: string, state: TaskEvent['state'], ending: EndingStatus): TaskEvent => ({
  ...{ taskId, sequence: 5, kind: 'status', state, turn: 1, endsTurn: true, payload: statusFrame(ending, state) },
});

class ScriptedStore extends ReconcileStore {
  pending: PendingWork[] = [];
  expired: ExpiredLease[] = [];
  overdue: OverdueCancel[] = [];
  /** Tasks whose policy ends them when they are reaped. */
  spent = new Set<string>();
  readonly reaped: string[] = [];
  readonly reapSizes: number[] = [];
  readonly purges: string[] = [];
  taken = 0;
  gate: (call: string) => Promise<void> | void = () => {};

  async takePending(): Promise<readonly PendingWork[]> {
    await this.gate('takePending');
    this.taken += 1;
    return this.pending.splice(0);
  }

  async expiredLeases(limit: number): Promise<readonly ExpiredLease[]> {
    await this.gate('expiredLeases');
    return this.expired.slice(0, limit);
  }

  async reap(leases: Parameters<ReconcileStore['reap']>[0]): Promise<readonly Reaped[]> {
    this.reapSizes.push(leases.length);
    return leases.map(({ lease: { taskId, agentId, epoch }, failed }) => {
      this.reaped.push(taskId);
      const work = { taskId, agentId, turn: 1, epoch: epoch + 1 };
      return this.spent.has(taskId) ? { ...work, event: event(taskId, 'TASK_STATE_FAILED', failed) } : work;
    });
  }

  async overdueCancels(): Promise<readonly OverdueCancel[]> {
    return this.overdue;
  }

  async finishCancels(cancels: Parameters<ReconcileStore['finishCancels']>[0]): Promise<readonly TaskEvent[]> {
    return cancels.map(({ cancel, canceled }) => event(cancel.taskId, 'TASK_STATE_CANCELED', canceled));
  }

  async purgeTasks(olderThanMs: number, _limit: number, owedMs: number): Promise<number> {
    this.purges.push(`tasks ${olderThanMs} ${owedMs}`);
    return 0;
  }

  async purgeMemories(olderThanMs: number): Promise<number> {
    this.purges.push(`memories ${olderThanMs}`);
    return 0;
  }

  async purgeAnswers(): Promise<number> {
    this.purges.push('answers');
    return 0;
  }

  async purgeKeys(): Promise<number> {
    this.purges.push('keys');
    return 0;
  }

  async purgePushAttempts(olderThanMs: number): Promise<number> {
    this.purges.push(`push attempts ${olderThanMs}`);
    return 0;
  }

  async purgeAuditEntries(olderThanMs: number): Promise<number> {
    this.purges.push(`audit entries ${olderThanMs}`);
    return 0;
  }
}

const lease = (taskId: string, epoch = 3): ExpiredLease => ({
  taskId,
  epoch,
  contextId: 'c',
  agentId: 'a',
  origin: 'api-1',
  owner: 'w9',
});

function reconciling(options: { retentionMs?: number } = {}) {
  const store = new ScriptedStore();
  const queue = new RecordingQueue();
  const bus = new RecordingBus();
  const logger = new RecordingLogger();
  const clock = { ms: 0 };
  const tried: string[] = [];
  const runner = { tryRun: ({ taskId }: { taskId: string }) => tried.push(taskId) <= 1 };
  const reconciler = new Reconciler(
    { store, queue, publisher: new EventPublisher(bus, logger), clock: { now: () => 0 }, logger, runner },
    { sweepMs: 2000, heartbeatMs: 3000, cancelGraceMs: 6000, pushLedgerMs: 1000, pushMaxAgeMs: 2000, auditMs: 1000, ...options },
    () => clock.ms,
  );
  /** A sweep `after` milliseconds later. */
  const sweep = async (after = 0): Promise<void> => {
    clock.ms += after;
    await reconciler.sweep();
  };
  return { store, queue, bus, logger, clock, tried, reconciler, sweep };
}

describe('Reconciler: hints', () => {
  it('hints what is pending', async () => {
    const { store, queue, sweep } = reconciling();
    store.pending = [{ taskId: 't1', agentId: 'a', turn: 2, epoch: 4 }];
    await sweep();
    expect(queue.hints).toEqual([{ taskId: 't1', agentId: 'a', turn: 2, epoch: 4, again: true }]);
  });

  it('hands work that cannot be queued to the local runner, as far as there are slots', async () => {
    const { store, queue, tried, logger, sweep } = reconciling();
    queue.failing = true;
    store.pending = ['t1', 't2'].map((taskId) => ({ taskId, agentId: 'a', turn: 1, epoch: 0 }));
    await sweep();
    expect(tried).toEqual(['t1', 't2']);
    expect(logger.lines[0]?.fields).toMatchObject({ hints: 2, takenUpHere: 1 });
  });

  it('searches less often when that takes long', async () => {
    const { store, clock, sweep } = reconciling();
    store.gate = (call) => {
      if (call === 'takePending') clock.ms += 1000;
    };
    await sweep();
    await sweep(2000);
    await sweep(2000);
    expect(store.taken).toBe(1);
    await sweep(6000);
    expect(store.taken).toBe(2);
  });

  it('marks nothing as hinted while the queue is away', async () => {
    const { store, queue, sweep } = reconciling();
    queue.isHealthy = false;
    await sweep();
    expect(store.taken).toBe(0);
  });
});

describe('Reconciler: leases', () => {
  it('reaps a lease that it saw expired twice, a heartbeat apart, and hints the task', async () => {
    const { store, queue, sweep } = reconciling();
    store.expired = [lease('t1')];
    await sweep();
    await sweep(2000);
    expect(store.reaped).toEqual([]);
    await sweep(2000);
    expect(store.reaped).toEqual(['t1']);
    expect(queue.hints).toEqual([{ taskId: 't1', agentId: 'a', turn: 1, epoch: 4 }]);
  });

  it('reaps however many have expired, in statements of a bounded size', async () => {
    const { store, sweep } = reconciling();
    store.expired = Array.from({ length: 1000 }, (_, n) => lease(`t${n}`));
    await sweep();
    await sweep(3000);
    expect(new Set(store.reaped).size).toBe(1000);
    expect(Math.max(...store.reapSizes)).toBeLessThanOrEqual(200);
  });

  it('publishes the end of a task whose attempts are spent, and does not hint it', async () => {
    const { store, queue, bus, sweep } = reconciling();
    store.expired = [lease('t1')];
    store.spent.add('t1');
    await sweep();
    await sweep(3000);
    expect(queue.hints).toEqual([]);
    expect(bus.published[0]?.channels).toEqual(['replica:api-1', 'task:t1']);
    expect(bus.events[0]?.state).toBe('TASK_STATE_FAILED');
    expect(JSON.parse(bus.events[0]!.payload).statusUpdate.status.message.parts[0].text).toContain('disappeared');
  });

  it('a lease that was renewed or claimed anew in between starts over', async () => {
    const { store, sweep } = reconciling();
    store.expired = [lease('t1')];
    await sweep();
    store.expired = [];
    await sweep(2000);
    store.expired = [lease('t1')];
    await sweep(2000);
    store.expired = [lease('t1', 4)];
    await sweep(2000);
    expect(store.reaped).toEqual([]);
  });

  it('an outage between two sightings does not count as time in which a lease could be renewed', async () => {
    const { store, clock, reconciler, sweep } = reconciling();
    store.expired = [lease('t1')];
    await sweep();
    const held = new Signal();
    store.gate = (call) => (call === 'expiredLeases' ? held.promise : undefined);
    clock.ms += 2000;
    const frozen = reconciler.sweep();
    clock.ms += 30_000;
    held.resolve();
    await frozen;
    expect(store.reaped).toEqual([]);
    await sweep(2000);
    expect(store.reaped).toEqual([]);
    await sweep(2000);
    expect(store.reaped).toEqual(['t1']);
  });
});

describe('Reconciler: cancels and retention', () => {
  it('commits overdue cancels and publishes them', async () => {
    const { store, bus, sweep } = reconciling();
    store.overdue = [{ taskId: 't1', contextId: 'c', agentId: 'a', origin: 'api-2' }];
    await sweep();
    expect(bus.published[0]?.channels).toEqual(['replica:api-2', 'task:t1']);
    expect(bus.events[0]?.state).toBe('TASK_STATE_CANCELED');
  });

  it('deletes what is past its time; without a retention no task', async () => {
    const kept = reconciling();
    await kept.sweep();
    await kept.reconciler.close();
    expect(kept.store.purges).toEqual(['answers', 'keys', 'push attempts 1000']);
    const { store, sweep, reconciler } = reconciling({ retentionMs: 86_400_000 });
    await sweep();
    await reconciler.close();
    expect(store.purges).toContain('tasks 86400000 2000');
  });
});

describe('Reconciler: sweeps', () => {
  it('never overlap, never throw, and a step that fails does not keep the others from their work', async () => {
    const { store, queue, reconciler, logger } = reconciling();
    store.pending = [{ taskId: 't1', agentId: 'a', turn: 1, epoch: 0 }];
    store.gate = (call) => {
      if (call === 'expiredLeases') throw new Error('no');
    };
    const first = reconciler.sweep();
    expect(reconciler.sweep()).toBe(first);
    await first;
    expect(queue.hints).toHaveLength(1);
    expect(logger.lines.map(({ level }) => level)).toEqual(['warn']);
  });

  it('close waits for the running sweep, and none follows', async () => {
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick'] });
    try {
      const { store, reconciler } = reconciling();
      const held = new Signal();
      let closed = false;
      store.gate = (call) => (call === 'expiredLeases' ? held.promise : undefined);
      reconciler.start();
      await jest.advanceTimersByTimeAsync(2400);
      const closing = reconciler.close().then(() => (closed = true));
      await jest.advanceTimersByTimeAsync(100);
      expect(closed).toBe(false);
      held.resolve();
      await closing;
      expect(store.taken).toBe(0);
      expect(jest.getTimerCount()).toBe(0);
    } finally {
      jest.useRealTimers();
    }
  });
});
