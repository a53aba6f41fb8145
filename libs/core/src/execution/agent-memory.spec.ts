import { InMemoryDatabase } from '#testing';
import { TurnMemory } from './agent-memory.js';
import { TASK } from './runner-fixture.spec-support.js';
import { WatchedTurnStore } from './watched-turn-store.spec-support.js';

async function remembering() {
  const database = new InMemoryDatabase();
  const store = new WatchedTurnStore(database);
  await store.accept(TASK, 'hi');
  const policy = { recovery: 'retry', maxAttempts: 3 } as const;
  const claim = await store.claim({ taskId: TASK, workerId: 'w1', leaseMs: 9000, policy, contract: 1 });
  if (!claim) throw new Error('not claimed');
  const aborting = new AbortController();
  const memory = new TurnMemory(store.memory, claim.fence, aborting.signal, () => aborting.abort(new Error('lease lost')));
  return { database, store, memory, aborting };
}

describe('TurnMemory', () => {
  it('keeps JSON', async () => {
    const { memory } = await remembering();
    await memory.set('a', { n: [1, null] });
    expect(await memory.get('a')).toEqual({ n: [1, null] });
    await memory.set('a', null);
    expect(await memory.get('a')).toBeNull();
    await memory.set('b', 'x');
    expect(await memory.keys()).toEqual(['a', 'b']);
    expect(await memory.keys('b')).toEqual(['b']);
    expect([await memory.delete('a'), await memory.delete('a'), await memory.get('a')]).toEqual([true, false, undefined]);
  });

  it.each([
    ['an empty key', '', 1],
    ['a key of 129 characters', 'k'.repeat(129), 1],
    ['a key with NUL', 'a\0', 1],
    ['a key with half of a character', 'a\uD83D', 1],
    ['what is not JSON', 'k', undefined],
    ['a value of 65,537 characters', 'k', 'x'.repeat(65_535)],
  ])('refuses %s', async (_, key, value) => {
    const { memory } = await remembering();
    await expect(memory.set(key, value as never)).rejects.toMatchObject({ name: 'AgentLimitError' });
    expect(await memory.keys()).toEqual([]);
  });

  it('says when the context is full', async () => {
    const { memory } = await remembering();
    for (let n = 0; n < 1000; n += 1) await memory.set(`k${n}`, n);
    await expect(memory.set('one more', 1)).rejects.toThrow('The context has 1000 keys already');
    await memory.set('k0', 'new');
  });

  it('waits while the store is away', async () => {
    const { database, memory } = await remembering();
    database.available = false;
    const set = memory.set('a', 1);
    let asked = 0;
    await new Promise<void>((resolve) => {
      database.gate = () => void ((asked += 1) === 2 && resolve());
    });
    database.available = true;
    await set;
    expect(await memory.get('a')).toBe(1);
  });

  it('ends with the turn: when the lease is lost, and when it is aborted while it waits', async () => {
    const lost = await remembering();
    lost.store.takeLeaseAway(TASK);
    await expect(lost.memory.set('a', 1)).rejects.toThrow('lease lost');
    await expect(lost.memory.get('a')).rejects.toThrow('lease lost');
    const away = await remembering();
    away.database.available = false;
    const waiting = away.memory.get('a');
    away.aborting.abort(new Error('canceled'));
    await expect(waiting).rejects.toThrow('canceled');
  });
});
