import { Deferred, eventually } from '#testing';
import { RecordingLogger } from '../execution/controlled-agent.spec-support.js';
import type { AuditEntry } from '../ports/audit-log.js';
import { StoreUnavailableError } from '../ports/task-store.js';
import { AuditTrail, type AuditTrailOptions, type NewAuditEntry } from './audit-trail.js';

const QUICK = { reads: false, flushMs: 1, retryMs: 1, windowMs: 20, now: () => 7 };

/** A trail over a log that may be told to fail. */
function trailOver(options: Partial<AuditTrailOptions> = {}) {
  const stored: AuditEntry[] = [];
  const batches: number[] = [];
  const faults: { gate: (entries: readonly AuditEntry[]) => Promise<void> | void } = { gate: () => undefined };
  const logger = new RecordingLogger();
  const log = {
    async record(entries: readonly AuditEntry[]) {
      await faults.gate(entries);
      batches.push(entries.length);
      stored.push(...entries);
    },
  };
  return { trail: new AuditTrail(log, logger, { ...QUICK, ...options }), stored, batches, faults, logger };
}

const entry = (more: Partial<NewAuditEntry> = {}): NewAuditEntry => ({
  ...{ source: 'a2a', operation: 'SendMessage', outcome: 'OK', tenant: 'acme', principal: 'ada', ...more },
});
const away = (): never => {
  throw new StoreUnavailableError('away');
};

describe('AuditTrail', () => {
  it('stores what it is told, in order and in batches, without being waited for', async () => {
    const { trail, stored, batches } = trailOver();
    for (let n = 0; n < 1200; n += 1) trail.add(entry({ subject: String(n) }));
    expect(stored).toEqual([]);
    await eventually(() => stored.length === 1200);
    expect(stored.map(({ subject }) => Number(subject))).toEqual([...Array(1200).keys()]);
    expect(stored[0]).toEqual({ ...entry({ subject: '0' }), at: 7 });
    expect(Math.max(...batches)).toBe(500);
  });

  it('keeps what cannot be stored, within bounds, and tells of what it lost', async () => {
    const { trail, stored, faults, logger } = trailOver({ most: 3 });
    faults.gate = away;
    for (let n = 0; n < 5; n += 1) trail.add(entry({ subject: String(n) }));
    await eventually(() => logger.lines.length > 0);
    expect(logger.lines[0]).toMatchObject({ level: 'warn', message: expect.stringContaining('audit log'), fields: { lost: 2 } });
    faults.gate = () => undefined;
    await eventually(() => stored.length === 4);
    expect(stored.map(({ subject }) => subject)).toEqual(['0', '1', '2', undefined]);
    expect(stored[3]).toEqual({ at: 7, source: 'host', operation: 'AuditLoss', outcome: 'LOST', count: 2 });
    trail.add(entry());
    await eventually(() => stored.length === 5);
  });

  it('what the database refuses holds up nothing else', async () => {
    const { trail, stored, faults } = trailOver();
    faults.gate = (entries) => {
      if (entries.some(({ subject }) => subject === 'bad')) throw new Error('refused');
    };
    trail.add(entry({ subject: 'bad' }));
    await eventually(() => stored.length === 1);
    expect(stored[0]).toMatchObject({ operation: 'AuditLoss', count: 1 });
    trail.add(entry({ subject: 'good' }));
    await eventually(() => stored.length === 2);
  });

  it('refusals that are alike are two entries a window, however many they are', async () => {
    const { trail, stored } = trailOver();
    const refused = entry({ outcome: 'PERMISSION_DENIED' });
    for (let n = 0; n < 1000; n += 1) trail.addRefusal({ ...refused, taskId: String(n) });
    trail.addRefusal({ ...refused, principal: 'eve' });
    await eventually(() => stored.length === 3);
    expect(stored.map(({ principal, count }) => [principal, count])).toEqual([
      ['ada', undefined],
      ['eve', undefined],
      ['ada', 999],
    ]);
    trail.addRefusal(refused);
    await eventually(() => stored.length === 4);
  });

  it('whoever comes from ever new addresses fills neither memory nor log', async () => {
    const { trail, stored } = trailOver({ windowMs: 1000 });
    for (let n = 0; n < 5000; n += 1) trail.addRefusal(entry({ outcome: 'UNAUTHENTICATED', address: `address-${n}` }));
    await trail.close();
    expect(stored).toHaveLength(1002);
    expect(stored.at(-1)).toEqual({ at: 7, source: 'a2a', operation: 'SendMessage', outcome: 'UNAUTHENTICATED', count: 3999 });
  });

  it('its end stores what is left, also what is only counted', async () => {
    const { trail, stored, faults } = trailOver({ flushMs: 1_000_000, windowMs: 1_000_000 });
    const answered = new Deferred();
    faults.gate = () => answered.promise;
    trail.add(entry());
    for (let n = 0; n < 3; n += 1) trail.addRefusal(entry({ outcome: 'RATE_LIMITED' }));
    const closed = trail.close();
    answered.resolve();
    await closed;
    expect(stored.map(({ outcome, count }) => [outcome, count])).toEqual([
      ['OK', undefined],
      ['RATE_LIMITED', undefined],
      ['RATE_LIMITED', 2],
    ]);
  });

  it('texts of clients are kept as far as they can be', async () => {
    const { trail, stored } = trailOver();
    const contextId = '0193e1a0-0000-7000-8000-000000000000';
    trail.add(entry({ principal: `a\u0000b${'x'.repeat(1000)}`, contextId: 'the content of a message' }));
    trail.add(entry({ contextId }));
    await eventually(() => stored.length === 2);
    expect(stored[0]?.principal).toBe(`a\uFFFDb${'x'.repeat(253)}`);
    expect(stored.map((one) => one.contextId)).toEqual([undefined, contextId]);
  });
});
