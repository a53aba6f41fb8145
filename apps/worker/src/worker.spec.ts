import { type Consumer, type HintHandler, SILENT } from '#core';
import { Worker, type WorkerParts } from './worker.js';

const AGENT = { id: 'a' } as WorkerParts['agents'][number];

function working(options: { consumeFails?: boolean; leavesTurns?: boolean; port?: number; pushes?: boolean } = {}) {
  const log: string[] = [];
  const clock = { ms: 0 };
  const times = { lastTried: 0, lastSeen: 0, lastSwept: 0, lastPushed: 0 };
  let handler: HintHandler | undefined;
  const note = async (call: string): Promise<void> => void log.push(call);
  const consumer: Consumer = { pause: () => note('pause'), close: (force) => note(`close ${String(force)}`) };
  const parts = {
    agents: [AGENT],
    runner: {
      running: 0,
      concurrencyOf: () => 3,
      run: async () => 'done',
      drain: async (_: unknown, beforeHandBack: () => Promise<void>) => {
        log.push('drain');
        if (options.leavesTurns) await beforeHandBack();
        log.push('drained');
      },
    },
    leases: { start: () => note('leases'), stop: () => note('leases stop') },
    clock: { start: () => note('clock'), stop: () => note('clock stop') },
    publisher: { settled: () => note('settled') },
    queue: {
      consume: async (id: string, concurrency: number, handle: HintHandler) => {
        if (options.consumeFails) throw new Error('away');
        handler = handle;
        log.push(`consume ${id} ${concurrency}`);
        return consumer;
      },
    },
    presence: {
      start: () => note('announce'),
      stop: () => note('withdraw'),
      get lastTried() {
        return times.lastTried;
      },
      get lastSeen() {
        return times.lastSeen;
      },
    },
    directClaims: { start: () => note('direct'), close: () => note('direct close') },
    reconciler: {
      start: () => note('sweep'),
      close: () => note('sweep close'),
      get lastSwept() {
        return times.lastSwept;
      },
    },
    ...(options.pushes
      ? {
          push: {
            start: () => note('push'),
            close: (graceMs: number) => note(`push close ${graceMs}`),
            get lastSwept() {
              return times.lastPushed;
            },
          },
        }
      : {}),
    logger: SILENT,
  } as unknown as WorkerParts;
  const health = { host: '127.0.0.1', port: options.port ?? 0 };
  let port = 0;
  const logger = {
    ...SILENT,
    info: (_: string, fields?: { healthPort?: unknown }) => void (port ||= Number(fields?.healthPort ?? 0)),
  };
  const worker = new Worker(
    { ...parts, logger },
    { drainMs: 10, stopMs: 10, heartbeatMs: 3000, sweepMs: 2000, health },
    () => clock.ms,
  );
  const get = async (path: string) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`);
    return [response.status, (await response.json()) as { reason?: string }] as const;
  };
  return { worker, log, clock, times, get, handler: () => handler, port: () => port };
}

describe('Worker', () => {
  it('is announced before it takes up hints', async () => {
    const { worker, log, handler } = working();
    await worker.start();
    expect(log.indexOf('announce')).toBeLessThan(log.indexOf('consume a 3'));
    expect(await handler()?.({ agentId: 'a', taskId: 't', turn: 1, epoch: 0 })).toBe('done');
    await worker.stop();
  });

  it('stops taking hints, drains, then closes; twice is once', async () => {
    const { worker, log } = working();
    await worker.start();
    log.length = 0;
    await Promise.all([worker.stop(), worker.stop()]);
    expect(log.slice(0, 5)).toEqual(['direct close', 'pause', 'drain', 'drained', 'close false']);
    expect(log.slice(5).sort()).toEqual(['clock stop', 'leases stop', 'settled', 'sweep close', 'withdraw']);
  });

  it('does not take the hints of the turns that it hands back', async () => {
    const { worker, log } = working({ leavesTurns: true });
    await worker.start();
    await worker.stop();
    expect(log.indexOf('close true')).toBeGreaterThan(log.indexOf('drain'));
    expect(log.indexOf('close true')).toBeLessThan(log.indexOf('drained'));
  });

  it('starts although the queue is away', async () => {
    const { worker, log } = working({ consumeFails: true });
    await worker.start();
    expect(log).toContain('direct');
    await worker.stop();
  });

  it('is ready while the store answers, and alive while its loops come round', async () => {
    const { worker, clock, times, get } = working();
    await worker.start();
    expect((await get('/readyz'))[0]).toBe(200);
    clock.ms = 60_000;
    expect(await get('/readyz')).toMatchObject([503, { reason: 'the store does not answer' }]);
    expect((await get('/livez'))[0]).toBe(200);
    clock.ms = 121_000;
    times.lastTried = times.lastSeen = 121_000;
    expect(await get('/livez')).toMatchObject([503, { reason: 'the reconciler does not come round' }]);
    expect((await get('/readyz'))[0]).toBe(200);
    expect((await get('/else'))[0]).toBe(404);
    await worker.stop();
  });

  it('delivers push notifications, and stops that while it drains', async () => {
    const { worker, log, clock, times, get } = working({ pushes: true });
    await worker.start();
    expect(log.at(-1)).toBe('push');
    clock.ms = times.lastTried = times.lastSeen = times.lastSwept = 121_000;
    expect(await get('/livez')).toMatchObject([503, { reason: 'the delivery of push notifications does not come round' }]);
    log.length = 0;
    await worker.stop();
    expect(log.indexOf('push close 10')).toBeLessThan(log.indexOf('drain'));
    expect(log).toContain('push close 10');
  });

  it('does not start on a health port that is taken', async () => {
    const first = working();
    await first.worker.start();
    const second = working({ port: first.port() });
    await expect(second.worker.start()).rejects.toThrow(/EADDRINUSE/);
    await first.worker.stop();
  });
});
