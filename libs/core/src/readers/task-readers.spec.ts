import { InMemoryBusNetwork, InMemoryEventBus } from '#testing';
import { ANONYMOUS } from '../call-context.js';
import { RecordingLogger } from '../execution/controlled-agent.spec-support.js';
import { SILENT } from '../logger.js';
import type { EventBus } from '../ports/event-bus.js';
import type { ReadCursor, TaskStore } from '../ports/task-store.js';
import type { TaskEvent } from '../task/task-event.js';
import { DEFAULT_READER_TIMES, TaskReaders } from './task-readers.js';

const ctx = { tenant: '', principal: ANONYMOUS, agentId: 'echo', extensions: [] };

describe('TaskReaders', () => {
  it('gives an operation that was under way when it closed a reader that ends at once, and listens for nothing more', async () => {
    const channels: string[] = [];
    const subscribe = async (channel: string) => {
      channels.push(channel);
      return { close: async () => undefined };
    };
    const bus = { subscribe } as unknown as EventBus;
    const readers = new TaskReaders({} as TaskStore, bus, SILENT, { ...DEFAULT_READER_TIMES, replicaId: 'r' });
    await readers.start();
    await readers.close();
    for (const reader of [readers.openOwn(ctx, 't1'), await readers.open(ctx, 't2')]) {
      reader.start(1);
      expect(await reader.next()).toBeUndefined();
    }
    expect(readers.size).toBe(0);
    expect(channels).toEqual(['replica:r']);
  });
});

describe('TaskReaders that were opened while the bus was away', () => {
  let network: InMemoryBusNetwork;
  let logger: RecordingLogger;
  let readers: TaskReaders;
  /** The tasks of each question that the store was asked. */
  let asked: string[][];
  let onAsked: (() => void) | undefined;
  beforeEach(async () => {
    network = new InMemoryBusNetwork();
    network.available = false;
    logger = new RecordingLogger();
    asked = [];
    const store = {
      heads: async (cursors: readonly ReadCursor[]) => {
        asked.push(cursors.map(({ taskId }) => taskId));
        onAsked?.();
        return new Map();
      },
      readEvents: async () => [],
    } as unknown as TaskStore;
    readers = new TaskReaders(store, new InMemoryEventBus(network), logger, { replicaId: 'r', compareMs: 40, pollMs: 4 });
    await readers.start();
  });
  afterEach(() => readers.close());

  const nextQuestion = (): Promise<void> => new Promise((resolve) => (onAsked = resolve));

  const event: TaskEvent = {
    ...{ taskId: 'late', sequence: 2, kind: 'status', state: 'TASK_STATE_WORKING', turn: 1, endsTurn: false },
    payload: '{}',
  };

  it('poll the store until it is back, and then live on its signals again', async () => {
    const own = readers.openOwn(ctx, 'own');
    const late = await readers.open(ctx, 'late');
    const later = await readers.open(ctx, 'late');
    for (const reader of [own, late, later]) reader.start(1);
    await nextQuestion();
    expect(asked.at(-1)?.sort()).toEqual(['late', 'late', 'own']);

    network.available = true;
    const onTheTask = [late.next(), later.next()];
    const onTheReplica = own.next();
    let arrived = 0;
    for (const read of [...onTheTask, onTheReplica]) void read.then(() => (arrived += 1));
    // The signal may come before they listen; a live process has the log for that, this store has none.
    while (arrived < 3) {
      network.send(['task:late'], { type: 'events', taskId: 'late', events: [event] });
      network.send(['replica:r'], { type: 'events', taskId: 'own', events: [{ ...event, taskId: 'own' }] });
      await nextQuestion();
    }
    expect(await Promise.all([...onTheTask, onTheReplica])).toMatchObject([
      [{ sequence: 2 }],
      [{ sequence: 2 }],
      [{ sequence: 2 }],
    ]);

    const heard = readers.openOwn(ctx, 'heard');
    heard.start(1);
    asked.length = 0;
    for (let questions = 0; questions < 3; questions += 1) await nextQuestion();
    expect(asked.map((tasks) => tasks.length)).toEqual([4, 4, 4]);
  });

  it('say so once, however many they are', async () => {
    for (let i = 0; i < 50; i += 1) await readers.open(ctx, `t${i}`);
    expect(logger.lines.map(({ level }) => level)).toEqual(['warn']);
  });

  it('leave nothing behind when they close before it is back', async () => {
    const opening = readers.open(ctx, 'late');
    for (const reader of [await opening, readers.openOwn(ctx, 'own')]) {
      reader.start(1);
      reader.close();
    }
    const other = readers.openOwn(ctx, 'other');
    other.start(1);
    await nextQuestion();
    asked.length = 0;
    await nextQuestion();
    expect(asked).toEqual([['other']]);
    expect(readers.size).toBe(1);
  });
});
