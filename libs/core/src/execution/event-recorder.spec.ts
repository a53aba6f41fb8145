import { foldEvents, parseEvent } from '../task/task-fold.js';
import { chunk, status } from './controlled-agent.spec-support.js';
import { holding, recording, takenAnew } from './recorder-fixture.spec-support.js';
import { WatchedTurnStore, unavailable } from './watched-turn-store.spec-support.js';
import { TASK, until } from './runner-fixture.spec-support.js';

describe('EventRecorder: appends', () => {
  it('has one append in flight; what is recorded meanwhile goes with the next', async () => {
    const { store, recorder, row } = await recording();
    const { reached, release } = holding(store);
    recorder.record(status('WORKING'));
    recorder.record(chunk('a', '1'));
    await reached;
    for (const text of ['2', '3', '4']) recorder.record(chunk('a', text, true));
    recorder.end('TASK_STATE_COMPLETED');
    expect(store.appends).toHaveLength(1);
    release();
    expect(await recorder.settled()).toEqual({ finalState: 'TASK_STATE_COMPLETED', pending: 0, epoch: row.epoch });
    expect(store.appends.map(({ number, events, endsTurn }) => [number, events.length, endsTurn])).toEqual([
      [1, 2, false],
      [2, 4, true],
    ]);
  });

  it('an append whose answer is lost, again and again, is recorded and published once', async () => {
    const { store, recorder, row, bus } = await recording();
    let losses = 3;
    store.gate = (call, phase) => {
      if (call === 'append' && phase === 'answer' && losses-- > 0) unavailable();
    };
    recorder.record(chunk('a', '1'));
    recorder.end('TASK_STATE_COMPLETED');
    expect(await recorder.settled()).toMatchObject({ finalState: 'TASK_STATE_COMPLETED' });
    expect(store.appends.map(({ number }) => number)).toEqual([1, 1, 1, 1]);
    expect(row.events.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4]);
    expect(bus.events).toEqual((await store.log(TASK)).slice(1));
  });

  it('a request that never reached the store is sent again with the same number', async () => {
    const { store, recorder, row } = await recording();
    let outages = 2;
    store.gate = (call, phase) => {
      if (call === 'append' && phase === 'request' && outages-- > 0) unavailable();
    };
    recorder.end('TASK_STATE_COMPLETED');
    await recorder.settled();
    expect(row.events).toHaveLength(2);
    expect(new Set(store.appends.map(({ number }) => number))).toEqual(new Set([1]));
  });

  it('I5: publishes nothing before the commit, and nothing that was refused', async () => {
    const { store, recorder, bus, told } = await recording();
    const { reached, release } = holding(store);
    recorder.record(status('WORKING'));
    await reached;
    expect(bus.published).toEqual([]);
    store.takeLeaseAway(TASK);
    recorder.record(status('WORKING'));
    release();
    await recorder.settled();
    expect(bus.published).toEqual([]);
    expect(told).toEqual(['fenced']);
    expect(store.appends).toHaveLength(1);
  });

  it('a halted recorder drops what waits, and still takes the answer of the append in flight', async () => {
    const { store, recorder, row, bus } = await recording();
    const { reached, release } = holding(store);
    recorder.record(status('WORKING'));
    await reached;
    recorder.record(chunk('a', 'dropped'));
    recorder.halt();
    recorder.end('TASK_STATE_COMPLETED');
    release();
    expect(await recorder.settled()).toBeUndefined();
    expect(row.events.map(({ kind }) => kind)).toEqual(['accepted', 'status']);
    expect(bus.events).toHaveLength(1);
  });

  it('an abandoned recorder does not wait for the store to come back', async () => {
    const { store, recorder, told } = await recording();
    store.gate = (call) => (call === 'append' ? unavailable() : undefined);
    recorder.record(status('WORKING'));
    await until(() => store.appends.length === 2);
    recorder.abandon();
    expect(await recorder.settled()).toBeUndefined();
    expect(told).toEqual(['abandoned']);
  });

  it('a failed publish fails nothing, and is logged once', async () => {
    const { recorder, bus, row, logger } = await recording();
    bus.failing = true;
    recorder.record(status('WORKING'));
    await recorder.settled();
    recorder.end('TASK_STATE_COMPLETED');
    await recorder.settled();
    await until(() => logger.lines.length > 0);
    expect(row.state).toBe('TASK_STATE_COMPLETED');
    expect(logger.lines.map(({ level }) => level)).toEqual(['warn']);
  });

  it('fails the task when the store refuses the events for what they are', async () => {
    const { store, recorder, row, told } = await recording();
    store.gate = (call) => {
      if (call === 'append' && store.appends.length === 1) throw new Error('invalid byte sequence');
    };
    recorder.record(chunk('a', 'poison'));
    expect(await recorder.settled()).toMatchObject({ finalState: 'TASK_STATE_FAILED' });
    expect(row.events.map(({ state }) => state)).toEqual(['TASK_STATE_SUBMITTED', 'TASK_STATE_FAILED']);
    expect(row.events[1]?.payload).not.toContain('poison');
    expect(told).toEqual(['refused']);
  });

  it('fails a task whose last event is what the store refuses', async () => {
    const { store, recorder, row } = await recording();
    store.gate = (call) => {
      if (call === 'append' && store.appends.length === 1) throw new Error('invalid byte sequence');
    };
    recorder.record(status('COMPLETED', 'poison'));
    expect(await recorder.settled()).toMatchObject({ finalState: 'TASK_STATE_FAILED' });
    expect(row.events).toHaveLength(2);
  });

  it('a failure in place of the first events makes an unlisted row a task', async () => {
    const store = new WatchedTurnStore();
    await store.accept(TASK, 'hi', { listed: false });
    const { recorder, row } = await recording({ store });
    store.gate = (call) => {
      if (call === 'append' && store.appends.length === 1) throw new Error('invalid byte sequence');
    };
    recorder.record(status('WORKING', 'poison'));
    await recorder.settled();
    expect(row).toMatchObject({ listed: true, state: 'TASK_STATE_FAILED' });
  });

  it('a snapshot holds nothing that was refused', async () => {
    const { store, recorder, row, artifacts } = await recording();
    for (let index = 0; index < 20; index += 1) recorder.record(chunk('good', String(index), true));
    await recorder.settled();
    const recorded = store.appends.length;
    store.gate = (call) => {
      if (call === 'append' && store.appends.length === recorded + 1) throw new Error('invalid byte sequence');
    };
    recorder.record(chunk('bad', 'poison'));
    recorder.end('TASK_STATE_INPUT_REQUIRED');
    expect(await recorder.settled()).toMatchObject({ finalState: 'TASK_STATE_FAILED' });
    expect(row.snapshot?.artifacts ?? '').not.toContain('poison');
    expect(artifacts()?.map(({ artifactId }) => artifactId)).toEqual(['good']);
  });

  it('what cannot even be made into an append ends the turn as FAILED', async () => {
    const { store, recorder, row } = await recording();
    // A snapshot that does not parse stands for whatever may be wrong with what the store has of the task.
    row.events.length = 0;
    store.row(TASK).snapshot = { artifacts: '[', history: '[]', sequence: 0 };
    const second = await recording({ store: await takenAnew(store) });
    for (let index = 0; index < 20; index += 1) second.recorder.record(chunk('a', String(index), true));
    second.recorder.end('TASK_STATE_COMPLETED');
    expect(await second.recorder.settled()).toMatchObject({ finalState: 'TASK_STATE_FAILED' });
    recorder.halt();
  });

  it('whoever waits for room goes on when the turn is aborted', async () => {
    const { store, recorder } = await recording();
    const { reached, release } = holding(store);
    recorder.record(status('WORKING'));
    await reached;
    for (let index = 0; index < 256; index += 1) recorder.record(chunk('a', 'x', true));
    const room = recorder.room();
    recorder.freeRoom();
    await room;
    release();
    await recorder.settled();
  });

  it('gives up when the store refuses the failure as well, and says so', async () => {
    const { store, recorder, row, told } = await recording();
    store.gate = (call) => {
      if (call === 'append') throw new Error('broken');
    };
    recorder.record(chunk('a', 'x'));
    expect(await recorder.settled()).toBeUndefined();
    expect(store.appends).toHaveLength(2);
    expect(row.events).toHaveLength(1);
    expect(told).toEqual(['refused', 'refused']);
  });

  it('publishes the state that was recorded, not the one that was asked for', async () => {
    const { store, recorder, bus } = await recording();
    await store.accept(TASK, 'two');
    recorder.record(status('COMPLETED', 'first answer'));
    expect(await recorder.settled()).toMatchObject({ finalState: 'TASK_STATE_WORKING', pending: 1 });
    expect(bus.events).toEqual((await store.log(TASK)).slice(2));
    expect(JSON.parse(bus.events[0]!.payload).statusUpdate.status.state).toBe('TASK_STATE_WORKING');
  });
});

describe('EventRecorder: back-pressure', () => {
  it.each([
    ['256 events', 256, 'x'],
    ['1 MiB', 16, 'x'.repeat(65_536)],
  ])('makes the executor wait when %s wait for the store', async (_, count, text) => {
    const { store, recorder } = await recording();
    const { reached, release } = holding(store);
    recorder.record(status('WORKING'));
    await reached;
    let open = true;
    for (let index = 0; index < count; index += 1) {
      await recorder.room();
      recorder.record(chunk('a', text, true));
    }
    const room = recorder.room().then(() => (open = true));
    open = false;
    await new Promise((resolve) => setImmediate(resolve));
    expect(open).toBe(false);
    release();
    await room;
    expect(store.appends[1]?.events).toHaveLength(count);
  });
});

describe('EventRecorder: artifacts', () => {
  it('the first chunk of an attempt replaces what the last one left', async () => {
    const first = await recording();
    first.recorder.record(chunk('a', 'old'));
    await first.recorder.settled();
    first.store.takeLeaseAway(TASK);
    const second = await recording({ store: first.store });
    second.recorder.record(chunk('a', 'new', true));
    second.recorder.record(chunk('a', 'er', true));
    await second.recorder.settled();
    expect(second.artifacts()).toEqual([{ artifactId: 'a', parts: [{ text: 'new' }, { text: 'er' }] }]);
  });

  it('an agent that resumes appends to it', async () => {
    const first = await recording();
    first.recorder.record(chunk('a', 'old'));
    await first.recorder.settled();
    first.store.takeLeaseAway(TASK);
    const second = await recording({ store: first.store, resumes: true });
    second.recorder.record(chunk('a', 'new', true));
    await second.recorder.settled();
    expect(second.artifacts()).toEqual([{ artifactId: 'a', parts: [{ text: 'old' }, { text: 'new' }] }]);
  });

  it('task metadata goes with the next event', async () => {
    const { store, recorder, row } = await recording();
    expect(recorder.record({ taskMetadata: { cost: 3 } })).toBe(false);
    expect(store.appends).toEqual([]);
    recorder.end('TASK_STATE_COMPLETED');
    await recorder.settled();
    expect(row.metadata).toBe('{"cost":3}');
  });
});

describe('EventRecorder: snapshots', () => {
  it('the end of a turn carries one that equals the fold of the log', async () => {
    const { recorder, row } = await recording();
    const reused = { artifactUpdate: { artifact: { artifactId: 'a', parts: [{ text: '1' }] } } };
    recorder.record(reused);
    reused.artifactUpdate.artifact.parts[0]!.text = 'changed after it was yielded';
    for (let n = 2; n < 10; n += 1) recorder.record(chunk('a', String(n), true));
    recorder.record(status('INPUT_REQUIRED', 'more?'));
    await recorder.settled();
    const task = foldEvents({ id: TASK, status: { state: 'TASK_STATE_SUBMITTED' } }, row.events.map(parseEvent));
    expect(row.snapshot).toEqual({
      sequence: 12,
      ...{ artifacts: JSON.stringify(task.artifacts), history: JSON.stringify(task.history) },
    });
    expect(task.artifacts?.[0]?.parts.map(({ text }) => text).join('')).toBe('123456789');
    expect(task.history).toHaveLength(2);
  });

  it('a turn in which another message was accepted ends without one, or with one that the store does not take', async () => {
    const { store, recorder, row } = await recording();
    recorder.record(status('WORKING'));
    await recorder.settled();
    await store.accept(TASK, 'two');
    recorder.record(status('WORKING'));
    await recorder.settled();
    recorder.record(status('INPUT_REQUIRED'));
    await recorder.settled();
    expect(store.appends.at(-1)?.snapshot).toBeUndefined();
    expect(row.snapshot).toBeUndefined();
  });

  it('the next turn starts from it, and every chunk is folded once', async () => {
    const { store, recorder, row, artifacts } = await recording();
    for (let index = 0; index < 1200; index += 1) {
      await recorder.room();
      recorder.record(chunk('a', String(index), true));
    }
    await recorder.settled();
    const taken = store.appends.filter(({ snapshot }) => snapshot).length;
    expect(taken).toBe(2);
    recorder.end('TASK_STATE_INPUT_REQUIRED');
    await recorder.settled();
    expect(JSON.parse(row.snapshot!.artifacts)).toEqual(artifacts());
    await store.accept(TASK, 'two');
    const second = await recording({ store });
    for (let n = 0; n < 10; n += 1) second.recorder.record(chunk('b', 'x', true));
    second.recorder.end('TASK_STATE_COMPLETED');
    await second.recorder.settled();
    expect(JSON.parse(row.snapshot!.artifacts)).toEqual(artifacts());
    expect(row.snapshot!.sequence).toBe(row.events.length);
  });

  it('10,000 chunks cost about ten times what 1,000 cost', async () => {
    const time = async (count: number): Promise<number> => {
      const { recorder } = await recording();
      const start = process.cpuUsage();
      for (let index = 0; index < count; index += 1) {
        await recorder.room();
        recorder.record(chunk('a', `chunk ${index}`, true));
      }
      recorder.end('TASK_STATE_COMPLETED');
      await recorder.settled();
      return process.cpuUsage(start).user;
    };
    await time(1000);
    expect((await time(10_000)) / (await time(1000))).toBeLessThan(40);
  });
});
