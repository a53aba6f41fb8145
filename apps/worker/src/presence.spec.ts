import { type AgentRegistry, SILENT } from '#core';
import { Presence } from './presence.js';

describe('Presence', () => {
  const calls: string[] = [];
  let away = false;
  let known = true;
  let held: Promise<void> | undefined;
  const answer = async (call: string): Promise<boolean> => {
    await held;
    calls.push(call);
    if (away) throw new Error('away');
    return known;
  };
  const registry = {
    announce: () => answer('announce'),
    heartbeat: () => answer('heartbeat'),
    withdraw: () => answer('withdraw'),
  } as unknown as AgentRegistry;
  let now = 0;
  const presence = (): Presence => new Presence(registry, 'w1', [], 1_000_000, SILENT, () => now);

  beforeEach(() => {
    calls.length = 0;
    away = false;
    known = true;
    held = undefined;
    now = 0;
  });

  it('announces anew when the store does not know it any more', async () => {
    const it = presence();
    await it.start();
    known = false;
    await it.beat();
    await it.stop();
    expect(calls).toEqual(['announce', 'heartbeat', 'announce', 'withdraw']);
  });

  it('withdraws after an announcement that is under way', async () => {
    const it = presence();
    let release = (): void => {};
    held = new Promise((resolve) => (release = resolve));
    const started = it.start();
    const stopped = it.stop();
    release();
    await Promise.all([started, stopped]);
    expect(calls).toEqual(['announce', 'withdraw']);
  });

  it('announces once, renews after that, and withdraws at the end', async () => {
    const it = presence();
    await it.start();
    await it.beat();
    await it.stop();
    expect(calls).toEqual(['announce', 'heartbeat', 'withdraw']);
  });

  it('announces anew after an outage, and knows since when the store was not seen', async () => {
    const it = presence();
    await it.start();
    away = true;
    now = 5;
    await it.beat();
    expect([it.lastSeen, it.lastTried]).toEqual([0, 5]);
    away = false;
    now = 9;
    await it.beat();
    expect(it.lastSeen).toBe(9);
    expect(calls).toEqual(['announce', 'heartbeat', 'announce']);
    await it.stop();
  });

  it('starts and stops although the store is away', async () => {
    away = true;
    const it = presence();
    await it.start();
    await it.stop();
    expect(it.lastSeen).toBe(Number.NEGATIVE_INFINITY);
  });
});
