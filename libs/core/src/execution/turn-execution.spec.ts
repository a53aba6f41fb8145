import { StoreUnavailableError } from '../ports/task-store.js';
import {
  chunk,
  ControlledExecutor,
  hosted,
  RecordingBus,
  RecordingLogger,
  Signal,
  status,
} from './controlled-agent.spec-support.js';
import { EventPublisher } from './event-publisher.js';
import { WatchedTurnStore } from './watched-turn-store.spec-support.js';
import { noFetch, TASK, turnsOfTheLoop } from './runner-fixture.spec-support.js';
import { TurnExecution } from './turn-execution.js';

async function executing(stopsOnAbort: boolean, turnTimeoutMs = 60_000) {
  const store = new WatchedTurnStore();
  const logger = new RecordingLogger();
  const executor = new ControlledExecutor({ stopsOnAbort });
  await store.accept(TASK, 'hi');
  const claim = await store.claim({
    taskId: TASK,
    workerId: 'w1',
    leaseMs: 9000,
    policy: { recovery: 'retry', maxAttempts: 3 },
    contract: 1,
  });
  if (!claim) throw new Error('not claimed');
  const turn = new TurnExecution(
    claim,
    hosted(executor),
    {
      ...{ store, logger, memory: store.memory, fetch: noFetch },
      ...{ publisher: new EventPublisher(new RecordingBus(), logger), clock: { now: () => 0 } },
    },
    { leaseMs: 9000, turnTimeoutMs, silenceTimeoutMs: 60_000, cancelGraceMs: 50 },
  );
  return { store, executor, turn, row: store.row(TASK) };
}

describe('TurnExecution', () => {
  it('a process that was paused records nothing that waits, even while the store still takes it for the owner', async () => {
    const { store, executor, turn, row } = await executing(false);
    const reached = new Signal();
    const held = new Signal();
    store.gate = (call, phase) => {
      if (call !== 'append' || phase !== 'request') return;
      reached.resolve();
      return held.promise;
    };
    const done = turn.run();
    executor.yields(status('WORKING'));
    await reached.promise;
    executor.yields(chunk('out', 'waits'));
    await turnsOfTheLoop(3);
    expect(executor.taken).toBe(2);
    turn.onLeaseLost('paused');
    held.resolve();
    executor.yields(status('COMPLETED'));
    expect(await done).toEqual({ handBack: 'paused' });
    expect(row.events.map(({ state }) => state)).toEqual(['TASK_STATE_SUBMITTED', 'TASK_STATE_WORKING']);
  });

  it('a lease that is lost during the grace of a cancel leaves CANCELED to whoever took it', async () => {
    const { executor, turn, row } = await executing(false);
    const done = turn.run();
    const { signal } = await executor.started();
    turn.onCancelRequested(undefined);
    turn.onLeaseLost('paused');
    expect(await done).toEqual({ handBack: 'paused' });
    expect(signal.reason).toMatchObject({ cause: 'canceled' });
    expect(row.events).toHaveLength(1);
  });

  it('a lease that is lost while the end is on its way still learns whether the end was recorded', async () => {
    const { store, executor, turn, row } = await executing(true);
    const reached = new Signal();
    const answer = new Signal();
    store.gate = (call, phase) => {
      if (call !== 'append' || phase !== 'answer' || store.appends.length > 1) return;
      reached.resolve();
      return answer.promise;
    };
    const done = turn.run();
    executor.yields(status('COMPLETED'));
    await reached.promise;
    turn.onLeaseLost('paused');
    answer.reject(new StoreUnavailableError('the answer was lost'));
    expect(await done).toMatchObject({ end: { finalState: 'TASK_STATE_COMPLETED' } });
    expect(row.events).toHaveLength(2);
  });

  it('the agent’s copy of the task is its own', async () => {
    const { executor, turn, row } = await executing(true);
    const done = turn.run();
    const { task } = await executor.started();
    task.history![0]!.parts[0]!.text = 'forged';
    // Enough events for a snapshot.
    executor.yields(...Array.from({ length: 10 }, () => chunk('out', 'x', true)), status('COMPLETED'));
    await done;
    expect(row.snapshot?.history).toContain('hi');
    expect(row.snapshot?.history).not.toContain('forged');
  });

  it('the store’s word that the lease is another’s leaves nothing to hand back', async () => {
    const { executor, turn } = await executing(true);
    const done = turn.run();
    await executor.started();
    turn.onLeaseLost('fenced');
    expect(await done).toEqual({});
  });

  it('a turn whose failure is refused as well is to be failed without it', async () => {
    const { store, executor, turn } = await executing(true);
    store.gate = (call) => {
      if (call === 'append') throw new Error('invalid byte sequence');
    };
    executor.yields(chunk('out', 'poison'));
    expect(await turn.run()).toEqual({ handBack: 'refused' });
  });

  it('its time runs out also while it waits for the store to take what it has yielded', async () => {
    const { store, executor, turn } = await executing(true, 50);
    const held = new Signal();
    store.gate = (call, phase) => (call === 'append' && phase === 'request' ? held.promise : undefined);
    const done = turn.run();
    executor.yields(...Array.from({ length: 400 }, () => chunk('out', 'x', true)));
    const { signal } = await executor.started();
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    await turnsOfTheLoop(5);
    expect(executor.cleanedUp).toBe(1);
    held.resolve();
    expect(await done).toMatchObject({ end: { finalState: 'TASK_STATE_FAILED' } });
  });
});
