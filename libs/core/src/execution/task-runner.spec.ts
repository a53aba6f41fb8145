import { chunk, Signal, status } from './controlled-agent.spec-support.js';
import { unavailable } from './watched-turn-store.spec-support.js';
import { hint, runnerWith, TASK, turnsOfTheLoop, until } from './runner-fixture.spec-support.js';

describe('TaskRunner: a turn and its end', () => {
  it('records what the agent yields, in order, and publishes each committed event once', async () => {
    const { store, bus, runner, executor, states } = runnerWith();
    await store.accept(TASK, 'hi');
    executor.yields(status('WORKING'), chunk('out', 'a'), chunk('out', 'b', true), status('COMPLETED', 'done'));
    expect(await runner.run(hint())).toBe('done');
    expect(states()).toEqual(['SUBMITTED', 'WORKING', 'WORKING', 'WORKING', 'COMPLETED']);
    expect(bus.events).toEqual((await store.log(TASK)).slice(1));
    expect(new Set(bus.published.flatMap(({ channels }) => channels))).toEqual(new Set(['replica:api-1', `task:${TASK}`]));
  });

  it('completes a task whose generator ends without a final status', async () => {
    const { store, runner, executor, states } = runnerWith();
    await store.accept(TASK, 'hi');
    executor.ends();
    await runner.run(hint());
    expect(states()).toEqual(['SUBMITTED', 'COMPLETED']);
  });

  it.each(['COMPLETED', 'FAILED', 'REJECTED', 'INPUT_REQUIRED', 'AUTH_REQUIRED'])(
    '%s ends the turn and the generator',
    async (state) => {
      const { store, runner, executor, states } = runnerWith();
      await store.accept(TASK, 'hi');
      executor.yields(status(state, 'that is it'), status('WORKING', 'never seen'));
      await runner.run(hint());
      expect(states()).toEqual(['SUBMITTED', state]);
      expect(executor.cleanedUp).toBe(1);
      expect(store.holderOf(TASK)).toBeUndefined();
    },
  );

  it('says WORKING before the first artifact, in the same append', async () => {
    const { store, runner, executor, states } = runnerWith();
    await store.accept(TASK, 'hi');
    executor.yields(chunk('out', 'a'));
    executor.ends();
    await runner.run(hint());
    expect(states()).toEqual(['SUBMITTED', 'WORKING', 'WORKING', 'COMPLETED']);
    expect(store.appends[0]?.events.slice(0, 2).map(({ kind }) => kind)).toEqual(['status', 'artifact']);
  });

  it('fails the task when the agent throws, and shows an error id in place of the cause', async () => {
    const { store, runner, executor, logger, frames } = runnerWith();
    await store.accept(TASK, 'hi');
    executor.throws(new Error('the password is 123'));
    await runner.run(hint());
    const text = frames()[1].statusUpdate.status.message.parts[0].text as string;
    const line = logger.lines.find(({ level }) => level === 'error');
    expect(text).toBe(`The agent failed (error ${String(line?.fields['errorId'])})`);
    expect((line?.fields.err as Error).message).toBe('the password is 123');
  });

  it.each([
    ['no parts', { statusUpdate: { state: 'TASK_STATE_WORKING', message: { parts: [] } } }],
    ['an unknown state', { statusUpdate: { state: 'DONE' } }],
    ['an artifact without an id', { artifactUpdate: { artifact: { parts: [{ text: 'a' }] } } }],
    ['a part with two contents', { message: { parts: [{ text: 'a', url: 'b' }] } }],
    ['two kinds in one', { message: { parts: [{ text: 'a' }] }, taskMetadata: {} }],
    ['nothing', undefined],
    ['what is not JSON', { artifactUpdate: { artifact: { artifactId: 'a', parts: [{ data: 1n }] } } }],
  ])('fails the task when the agent yields %s', async (_, event) => {
    const { store, runner, executor, states, logger } = runnerWith();
    await store.accept(TASK, 'hi');
    executor.yields(event);
    await runner.run(hint());
    expect(states()).toEqual(['SUBMITTED', 'FAILED']);
    expect(logger.lines.some(({ message }) => message === 'The agent gave an invalid event')).toBe(true);
    expect(executor.cleanedUp).toBe(1);
  });

  it('fails an executor that is no generator, or throws before it is one', async () => {
    const { store, runner, states, executor } = runnerWith();
    executor.execute = () => {
      throw new Error('no');
    };
    await store.accept(TASK, 'hi');
    await runner.run(hint());
    expect(states()).toEqual(['SUBMITTED', 'FAILED']);
  });

  it('writes nothing that the proto does not know', async () => {
    const { store, runner, executor, frames } = runnerWith();
    await store.accept(TASK, 'hi');
    executor.yields({
      statusUpdate: {
        state: 'TASK_STATE_COMPLETED',
        final: true,
        message: { kind: 'message', parts: [{ kind: 'text', text: 'x' }] },
      },
    });
    await runner.run(hint());
    expect(frames()[1]).toEqual({
      statusUpdate: {
        taskId: TASK,
        contextId: 'c',
        status: {
          state: 'TASK_STATE_COMPLETED',
          message: { messageId: expect.any(String), contextId: 'c', taskId: TASK, role: 'ROLE_AGENT', parts: [{ text: 'x' }] },
          timestamp: '2026-01-02T03:04:05.678Z',
        },
      },
    });
  });
});

describe('TaskRunner: answers without a task', () => {
  const answer = { message: { parts: [{ text: 'direct' }] } };

  it('a first Message of an unlisted task is the answer, and stays unlisted', async () => {
    const { store, runner, executor, frames } = runnerWith({ agent: { answers: 'either' } });
    await store.accept(TASK, 'hi', { listed: false });
    executor.yields(answer);
    await runner.run(hint());
    expect(frames()[1].message.parts).toEqual([{ text: 'direct' }]);
    expect(store.row(TASK)).toMatchObject({ listed: false, state: 'TASK_STATE_COMPLETED' });
  });

  it('a Message after a Task event becomes COMPLETED with that message, and the row is listed once', async () => {
    const { store, runner, executor, frames } = runnerWith({ agent: { answers: 'either' } });
    await store.accept(TASK, 'hi', { listed: false });
    executor.yields(status('WORKING'));
    const done = runner.run(hint());
    await until(() => store.appends.length === 1 && executor.taken === 1);
    executor.yields(answer);
    await done;
    expect(frames()[2].statusUpdate.status).toMatchObject({
      state: 'TASK_STATE_COMPLETED',
      message: { parts: [{ text: 'direct' }] },
    });
    expect(store.appends.map(({ list }) => list)).toEqual([true, false]);
  });

  it('a failure of an unlisted task is a task', async () => {
    const { store, runner, executor } = runnerWith({ agent: { answers: 'message' } });
    await store.accept(TASK, 'hi', { listed: false });
    executor.throws(new Error('no'));
    await runner.run(hint());
    expect(store.row(TASK)).toMatchObject({ listed: true, state: 'TASK_STATE_FAILED' });
  });
});

describe('TaskRunner: hints', () => {
  it('a refused claim uses the hint up without starting the agent', async () => {
    const { store, runner, executor } = runnerWith();
    await store.accept(TASK, 'hi');
    store.row(TASK).lease = { owner: 'another', expiresAt: 0 };
    expect(await runner.run(hint())).toBe('done');
    expect(executor.contexts).toEqual([]);
  });

  it('a store that stays unreachable for a lease puts the hint back; the slot is free again', async () => {
    const { store, runner } = runnerWith({ leaseMs: 600 });
    store.gate = unavailable;
    expect(await runner.run(hint())).toBe('later');
    expect(runner.freeSlots('a')).toBe(2);
  });

  it('a hint for an agent that is not hosted is dropped', async () => {
    const { runner } = runnerWith();
    expect(await runner.run({ ...hint(), agentId: 'b' })).toBe('done');
    expect(runner.tryRun({ ...hint(), agentId: 'b' })).toBe(false);
  });

  it('a message accepted during the turn is the next turn, and COMPLETED never falls over it', async () => {
    const { store, runner, queue, executor, states } = runnerWith();
    await store.accept(TASK, 'one');
    const first = runner.run(hint());
    await executor.started();
    await store.accept(TASK, 'two');
    executor.yields(status('COMPLETED', 'one done'));
    await first;
    expect(states().at(-1)).toBe('WORKING');
    expect(queue.hints).toEqual([{ agentId: 'a', taskId: TASK, turn: 2, epoch: store.row(TASK).epoch }]);
    executor.yields(status('COMPLETED', 'two done'));
    await runner.run(queue.hints[0]!);
    expect((await executor.started(2)).message.parts).toEqual([{ text: 'two' }]);
    expect(states().filter((state) => state === 'COMPLETED')).toHaveLength(1);
    expect(store.row(TASK).ended).toBe(2);
  });

  it('takes the next turn up here when it cannot be queued', async () => {
    const { store, runner, queue, executor } = runnerWith();
    queue.failing = true;
    await store.accept(TASK, 'one');
    await store.accept(TASK, 'two');
    executor.yields(status('COMPLETED'), status('COMPLETED'));
    await runner.run(hint());
    expect(store.row(TASK)).toMatchObject({ ended: 2, state: 'TASK_STATE_COMPLETED' });
  });

  it('runs no more turns at a time than there are slots', async () => {
    const { store, runner, executor } = runnerWith({ concurrency: 1 });
    await store.accept('t1', 'a');
    await store.accept('t2', 'b');
    const first = runner.run(hint('t1'));
    const second = runner.run(hint('t2'));
    await executor.started();
    expect(runner.tryRun(hint('t2'))).toBe(false);
    expect(store.holderOf('t2')).toBeUndefined();
    executor.yields(status('COMPLETED'), status('COMPLETED'));
    await Promise.all([first, second]);
    expect(store.row('t2').state).toBe('TASK_STATE_COMPLETED');
  });

  it('shows the agent the task with what earlier attempts recorded, and its token', async () => {
    const { store, runner, executor } = runnerWith();
    await store.accept(TASK, 'hi');
    executor.yields(chunk('out', 'a'));
    const lost = runner.run(hint());
    await until(() => store.row(TASK).events.length === 3);
    store.takeLeaseAway(TASK);
    store.row(TASK).lostAttempts = 1;
    executor.yields(chunk('out', 'late'));
    await lost;
    executor.yields(status('COMPLETED'));
    await runner.run(hint());
    const context = await executor.started(2);
    expect(context).toMatchObject({ taskId: TASK, turn: 1, attempt: 2, epoch: 3 });
    expect(context.task.artifacts).toEqual([{ artifactId: 'out', parts: [{ text: 'a' }] }]);
    expect(context.task.history?.map(({ parts }) => parts)).toEqual([[{ text: 'hi' }]]);
  });
});

describe('TaskRunner: aborts', () => {
  it('a canceled executor stops within its grace; what it yields after the abort is not recorded', async () => {
    const { store, runner, executor, states, beat } = runnerWith({ stopsOnAbort: false, cancelGraceMs: 5000 });
    await store.accept(TASK, 'hi');
    executor.yields(status('WORKING'));
    const done = runner.run(hint());
    await until(() => states().length === 2);
    store.requestCancel(TASK, { reason: 'enough' });
    await beat();
    const { signal } = await executor.started();
    expect(signal.reason).toMatchObject({ name: 'AbortedTurn', cause: 'canceled', metadata: { reason: 'enough' } });
    await turnsOfTheLoop(20);
    expect(states()).toEqual(['SUBMITTED', 'WORKING']);
    executor.yields(chunk('out', 'late'), status('COMPLETED'));
    await done;
    expect(states()).toEqual(['SUBMITTED', 'WORKING', 'CANCELED']);
    expect(executor.cleanedUp).toBe(1);
  });

  it('an executor that ignores the abort loses its slot after the grace, and the task is CANCELED', async () => {
    const { store, runner, executor, states, beat, logger } = runnerWith({ stopsOnAbort: false, cancelGraceMs: 5 });
    await store.accept(TASK, 'hi');
    const done = runner.run(hint());
    await executor.started();
    store.requestCancel(TASK);
    await beat();
    await done;
    expect(states()).toEqual(['SUBMITTED', 'CANCELED']);
    expect(runner.freeSlots('a')).toBe(2);
    expect(logger.lines.some(({ message }) => message.startsWith('The executor did not stop'))).toBe(true);
  });

  it('an append brings the wish to cancel too', async () => {
    const { store, runner, executor, states } = runnerWith();
    await store.accept(TASK, 'hi');
    const done = runner.run(hint());
    await executor.started();
    store.requestCancel(TASK);
    executor.yields(status('WORKING'));
    await done;
    expect(states()).toEqual(['SUBMITTED', 'WORKING', 'CANCELED']);
  });

  it('a turn that has ended in the eyes of the agent is not canceled here: the store decides', async () => {
    const { store, runner, executor, states, beat } = runnerWith();
    const reached = new Signal();
    const held = new Signal();
    store.gate = (call, phase) => {
      if (call !== 'append' || phase !== 'request') return;
      reached.resolve();
      return held.promise;
    };
    await store.accept(TASK, 'hi');
    executor.yields(status('INPUT_REQUIRED', 'which?'));
    const done = runner.run(hint());
    await reached.promise;
    store.requestCancel(TASK);
    await beat();
    held.resolve();
    await done;
    expect(states()).toEqual(['SUBMITTED', 'CANCELED']);
    expect(store.appends).toHaveLength(1);
    expect((await executor.started()).signal.aborted).toBe(false);
  });

  it.each([
    ['turnTimeoutMs', 'The agent took longer than a turn may take', 'timeout'],
    ['silenceTimeoutMs', 'The agent gave no sign of life for too long', 'silence'],
  ])('%s ends the turn as FAILED', async (limit, text, cause) => {
    const { store, runner, executor, frames } = runnerWith({ [limit]: 5 });
    await store.accept(TASK, 'hi');
    await runner.run(hint());
    expect(frames()[1].statusUpdate.status).toMatchObject({ state: 'TASK_STATE_FAILED', message: { parts: [{ text }] } });
    expect((await executor.started()).signal.reason).toMatchObject({ cause });
  });

  it('I4: a lost lease ends the turn; nothing of it is recorded or published', async () => {
    const { store, runner, executor, states, beat, bus } = runnerWith();
    await store.accept(TASK, 'hi');
    const done = runner.run(hint());
    const { signal } = await executor.started();
    store.takeLeaseAway(TASK);
    await beat();
    expect(await done).toBe('done');
    expect(signal.reason).toMatchObject({ cause: 'lease-lost' });
    expect(states()).toEqual(['SUBMITTED']);
    expect(store.appends).toEqual([]);
    expect(bus.published).toEqual([]);
  });

  it('a write under a lease that was reaped is refused, and ends the turn', async () => {
    const { store, runner, executor, states, bus } = runnerWith();
    await store.accept(TASK, 'hi');
    const done = runner.run(hint());
    const { signal } = await executor.started();
    store.takeLeaseAway(TASK);
    executor.yields(status('WORKING'), status('WORKING'));
    await done;
    expect(signal.reason).toMatchObject({ cause: 'lease-lost' });
    expect(states()).toEqual(['SUBMITTED']);
    expect(bus.published).toEqual([]);
  });

  it('a process that was paused hands its turns back, as attempts that were lost', async () => {
    const { store, runner, executor, holders, queue } = runnerWith();
    await store.accept(TASK, 'hi');
    const done = runner.run(hint());
    await executor.started();
    holders[0]?.onLeaseLost('paused');
    await done;
    expect(store.row(TASK)).toMatchObject({ lease: undefined, lostAttempts: 1 });
    expect(queue.hints).toEqual([{ agentId: 'a', taskId: TASK, turn: 1, epoch: store.row(TASK).epoch }]);
  });

  it('a turn of which the store takes nothing is FAILED, and not tried again', async () => {
    const { store, runner, executor, states, queue, bus } = runnerWith();
    await store.accept(TASK, 'hi');
    store.gate = (call) => {
      if (call === 'append') throw new Error('invalid byte sequence');
    };
    executor.yields(chunk('out', 'poison'));
    await runner.run(hint());
    expect(states()).toEqual(['SUBMITTED', 'FAILED']);
    expect(queue.hints).toEqual([]);
    expect(bus.events.map(({ state }) => state)).toEqual(['TASK_STATE_FAILED']);
  });

  it('a lease whose turn broke for a reason of ours is not renewed for ever', async () => {
    const { store, runner, executor, logger, beat } = runnerWith();
    const error = logger.error.bind(logger);
    logger.error = () => {
      logger.error = error;
      throw new Error('broken');
    };
    await store.accept(TASK, 'hi');
    executor.throws(new Error('the agent'));
    expect(await runner.run(hint())).toBe('done');
    await beat();
    expect(store.heartbeats).toEqual([]);
    expect(logger.lines.some(({ level }) => level === 'error')).toBe(true);
  });
});
