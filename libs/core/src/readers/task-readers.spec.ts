import { ANONYMOUS } from '../call-context.js';
import { SILENT } from '../logger.js';
import type { EventBus } from '../ports/event-bus.js';
import type { TaskStore } from '../ports/task-store.js';
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
