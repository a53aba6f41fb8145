import type { CallContext } from '../call-context.js';
import { ANONYMOUS } from '../call-context.js';
import { StoreUnavailableError, type TaskStore } from '../ports/task-store.js';
import type { TaskEvent } from '../task/task-event.js';
import { TaskReader } from './task-reader.js';

const ctx: CallContext = { tenant: '', principal: ANONYMOUS, agentId: 'a', extensions: [] };

const event = (sequence: number): TaskEvent => ({
  taskId: 't',
  sequence,
  kind: 'status',
  state: 'TASK_STATE_WORKING',
  turn: 1,
  endsTurn: false,
  payload: `{"n":${sequence}}`,
});

const range = (from: number, to: number): TaskEvent[] => Array.from({ length: to - from + 1 }, (_, i) => event(from + i));

/** A log that counts how often it is read, and can be made to fail or to answer late. */
class Log {
  events: TaskEvent[] = [];
  reads = 0;
  gone = false;
  failures = 0;
  beforeAnswer: (() => void) | undefined;

  readonly store = {
    readEvents: async (_ctx: CallContext, _id: string, after: number, limit: number) => {
      this.reads += 1;
      if (this.failures > 0) {
        this.failures -= 1;
        throw new StoreUnavailableError('away');
      }
      const found = this.events.filter(({ sequence }) => sequence > after).slice(0, limit);
      this.beforeAnswer?.();
      return this.gone ? undefined : found;
    },
  } as unknown as TaskStore;
}

const sequences = async (reader: TaskReader): Promise<number[] | undefined> =>
  (await reader.next())?.map(({ sequence }) => sequence);

describe('TaskReader', () => {
  let log: Log;
  let reader: TaskReader;
  beforeEach(() => {
    log = new Log();
    reader = new TaskReader(ctx, 't', log.store, () => undefined);
  });

  it('delivers live events in order without touching the log', async () => {
    reader.start(1);
    reader.offer(range(2, 4));
    expect(await sequences(reader)).toEqual([2, 3, 4]);
    expect(log.reads).toBe(0);
  });

  it('drops what it has and what is doubled', async () => {
    reader.start(3);
    reader.offer(range(1, 5));
    reader.offer(range(4, 6));
    expect(await sequences(reader)).toEqual([4, 5, 6]);
  });

  it('keeps what came before its start and delivers only what follows it', async () => {
    reader.offer(range(1, 4));
    reader.start(2);
    expect(await sequences(reader)).toEqual([3, 4]);
  });

  it('reads the log on a gap and then goes on live', async () => {
    log.events = range(1, 5);
    reader.start(1);
    reader.offer([event(4)]);
    expect(await sequences(reader)).toEqual([2, 3, 4, 5]);
    reader.offer([event(5), event(6)]);
    expect(await sequences(reader)).toEqual([6]);
    expect(log.reads).toBe(1);
  });

  it('loses nothing that arrives while the log is read', async () => {
    log.events = range(1, 3);
    log.beforeAnswer = () => reader.offer([event(4)]);
    reader.start(1, true);
    expect(await sequences(reader)).toEqual([2, 3]);
    log.events = range(1, 4);
    log.beforeAnswer = undefined;
    expect(await sequences(reader)).toEqual([4]);
  });

  it('forgets what a reader that does not pull cannot hold, and finds it in the log', async () => {
    log.events = range(1, 2000);
    reader.start(0);
    for (const one of log.events) reader.offer([one]);
    const seen: number[] = [];
    while (seen.length < 2000) seen.push(...((await sequences(reader)) ?? []));
    expect(seen).toEqual(log.events.map(({ sequence }) => sequence));
    expect(log.reads).toBeGreaterThan(0);
  });

  it('waits for a head that it does not know, and ignores one that it does', async () => {
    reader.start(2);
    reader.catchUp(2);
    const waiting = sequences(reader);
    log.events = range(1, 3);
    reader.catchUp(3);
    expect(await waiting).toEqual([3]);
    expect(log.reads).toBe(1);
  });

  it('tries again while the store is away', async () => {
    log.events = range(1, 2);
    log.failures = 1;
    reader.start(0, true);
    expect(await sequences(reader)).toEqual([1, 2]);
    expect(log.reads).toBe(2);
  });

  it('ends when the task is gone, and when it is closed', async () => {
    log.gone = true;
    reader.start(0, true);
    expect(await reader.next()).toBeUndefined();
    const other = new TaskReader(ctx, 't', log.store, () => undefined);
    other.start(0);
    const waiting = other.next();
    other.close();
    expect(await waiting).toBeUndefined();
  });
});
