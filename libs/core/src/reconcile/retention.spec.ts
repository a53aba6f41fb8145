import { RecordingLogger, Signal } from '../execution/controlled-agent.spec-support.js';
import { ThrottledWarning } from '../execution/throttled-warning.js';
import { Retention } from './retention.js';

const MINUTE_MS = 60_000;

/** A store with a backlog of each kind, and a retention of a day over it. */
function keeping(
  backlog: { tasks?: number; memories?: number; answers?: number; keys?: number; pushes?: number; audit?: number } = {},
) {
  const left = { tasks: 0, memories: 0, answers: 0, keys: 0, pushes: 0, audit: 0, ...backlog };
  const limits: Record<keyof typeof left, number[]> = { tasks: [], memories: [], answers: [], keys: [], pushes: [], audit: [] };
  const faults: { gate: (kind: string, limit: number) => Promise<void> | void } = { gate: () => {} };
  const clock = { ms: 0 };
  const logger = new RecordingLogger();
  const purge = async (kind: keyof typeof left, limit: number): Promise<number> => {
    limits[kind].push(limit);
    await faults.gate(kind, limit);
    const deleted = Math.min(limit, left[kind]);
    left[kind] -= deleted;
    return deleted;
  };
  const store = {
    purgeTasks: (_: number, limit: number) => purge('tasks', limit),
    purgeMemories: (_: number, limit: number) => purge('memories', limit),
    purgeAnswers: (_: number, limit: number) => purge('answers', limit),
    purgeKeys: (limit: number) => purge('keys', limit),
    purgePushAttempts: (_: number, limit: number) => purge('pushes', limit),
    purgeAuditEntries: (_: number, limit: number) => purge('audit', limit),
  };
  const failed = new ThrottledWarning(logger, 'failed', 0);
  const times = { retentionMs: 86_400_000, pushLedgerMs: 1000, pushMaxAgeMs: 1000, auditMs: 1000 };
  const retention = new Retention(store, times, logger, failed, () => clock.ms);
  return { left, limits, faults, clock, logger, retention };
}

describe('Retention', () => {
  it('looks once a minute', async () => {
    const { limits, clock, retention } = keeping();
    await retention.run();
    clock.ms += MINUTE_MS - 1;
    await retention.run();
    expect(limits.keys).toHaveLength(1);
    clock.ms += 1;
    await retention.run();
    expect(limits.keys).toHaveLength(2);
  });

  it.each(['tasks', 'memories', 'answers', 'keys', 'pushes', 'audit'] as const)(
    'works off a backlog of %s run by run, without waiting a minute',
    async (kind) => {
      const { left, limits, retention } = keeping({ [kind]: 25_000 });
      await retention.run();
      expect(left[kind]).toBe(15_000);
      await retention.run();
      await retention.run();
      expect(left[kind]).toBe(0);
      expect(Math.max(...limits[kind])).toBeLessThanOrEqual(500);
      const looks = limits[kind].length;
      await retention.run();
      expect(limits[kind]).toHaveLength(looks);
    },
  );

  it('a kind that cannot be deleted keeps no other from it', async () => {
    const { left, faults, logger, retention } = keeping({ tasks: 10, answers: 10, keys: 10, pushes: 10, audit: 10 });
    faults.gate = (kind) => {
      if (kind !== 'keys') throw new Error('no');
    };
    await retention.run();
    expect(left).toEqual({ tasks: 10, memories: 0, answers: 10, keys: 0, pushes: 10, audit: 10 });
    expect(logger.lines.filter(({ level }) => level === 'warn')).toHaveLength(5);
  });

  it('takes fewer at a time when a statement takes too long, and more again when it does not', async () => {
    const { left, limits, faults, clock, retention } = keeping({ tasks: 2020 });
    faults.gate = (kind, limit) => {
      if (kind === 'tasks' && limit > 40) throw new Error('timeout');
    };
    for (let run = 0; run < 40 && left.tasks > 0; run += 1) await retention.run();
    expect(left.tasks).toBe(0);
    faults.gate = () => {};
    clock.ms += MINUTE_MS;
    left.tasks = 1_000_000;
    for (let run = 0; run < 8; run += 1) await retention.run();
    expect(limits.tasks.at(-1)).toBe(500);
  });

  it('runs once at a time, and closing waits for the statement under way and sends no other', async () => {
    const { limits, faults, retention } = keeping({ tasks: 5000 });
    const [reached, held] = [new Signal(), new Signal()];
    faults.gate = () => {
      reached.resolve();
      return held.promise;
    };
    const first = retention.run();
    expect(retention.run()).toBe(first);
    await reached.promise;
    const closing = retention.close();
    held.resolve();
    await closing;
    expect(limits).toEqual({ tasks: [500], memories: [], answers: [], keys: [], pushes: [], audit: [] });
  });
});
