import type { Stores } from './store-fixture.js';
import { PushLife } from './push-fixture.js';

/** What every PushLedger promises to operators. */
export function pushLedgerContract(name: string, open: () => Promise<Stores>): void {
  describe(`${name}: push ledger`, () => {
    let stores: Stores;
    let push: PushLife;
    beforeAll(async () => {
      stores = await open();
    });
    afterAll(() => stores.close());
    beforeEach(() => {
      push = new PushLife(stores);
    });

    const dead = async (): Promise<string> => {
      const taskId = await push.task();
      await push.settle(await push.claim(taskId), { attempt: push.failed(1) });
      await new Promise((resolve) => setTimeout(resolve, 5));
      await push.settle(await push.claim(taskId), { attempt: push.failed(1, 2), maxAgeMs: 1 });
      return taskId;
    };

    it('tells how far each configuration has come', async () => {
      const taskId = await dead();
      const shown = await stores.pushLedger.configs({ taskId, limit: 10 });
      const { agentId } = push.life.ctx;
      const common = { taskId, configId: 'config', tenant: '', agentId, receiver: push.receiver, cursor: 0, sequence: 4 };
      expect(shown).toEqual([
        { ...common, state: 'dead', failures: 2, failingSince: expect.any(Number), deadAt: expect.any(Number) },
      ]);
      expect(Math.abs((shown[0]?.deadAt ?? 0) - Date.now())).toBeLessThan(60_000);
      const open = await push.task({ cursor: 2 });
      expect(await stores.pushLedger.configs({ taskId: open, limit: 10 })).toEqual([
        { ...common, taskId: open, cursor: 2, state: 'open', failures: 0 },
      ]);
      const ids = (await stores.pushLedger.configs({ dead: true, limit: 1000 })).map((config) => config.taskId);
      expect(ids).toContain(taskId);
      expect(ids).not.toContain(open);
      expect(await stores.pushLedger.configs({ tenant: 'other', taskId, limit: 10 })).toEqual([]);
      expect(await stores.pushLedger.configs({ agentId: 'other', taskId, limit: 10 })).toEqual([]);
      expect((await stores.pushLedger.configs({ agentId, limit: 10 })).map((config) => config.taskId)).toEqual([open, taskId]);
      const later = await dead();
      const given = await stores.pushLedger.configs({ agentId, dead: true, limit: 10 });
      expect(given.map((config) => config.taskId)).toEqual([later, taskId]);
      expect(await stores.pushLedger.configs({ agentId, dead: true, limit: 1 })).toHaveLength(1);
      expect(await stores.pushLedger.configs({ taskId: open, dead: true, limit: 10 })).toEqual([]);
      expect(await stores.pushLedger.configs({ taskId: 'no id', limit: 10 })).toEqual([]);
    });

    it('keeps every attempt, the newest first', async () => {
      const taskId = await dead();
      const entries = await stores.pushLedger.deliveries({ taskId, configId: 'config' }, 10);
      const common = { taskId, configId: 'config', sequence: 1, outcome: 'failed', httpStatus: 503 };
      expect(entries).toEqual(
        [2, 1].map((attempt) => ({
          ...common,
          ...{ attempt, error: 'The receiver answered 503', durationMs: 5, startedAt: expect.any(Number) },
        })),
      );
      expect(await stores.pushLedger.deliveries({ taskId }, 1)).toHaveLength(1);
      expect(await stores.pushLedger.deliveries({ taskId, configId: 'other' }, 10)).toEqual([]);
      expect(await stores.pushLedger.deliveries({ taskId, tenant: 'other' }, 10)).toEqual([]);
      expect(await stores.pushLedger.deliveries({ taskId, agentId: 'other' }, 10)).toEqual([]);
    });

    it('forgets attempts that are old, the oldest first and a bounded number', async () => {
      await stores.reconcile.purgePushAttempts(0, 1000);
      const [first, second] = [await dead(), await dead()];
      expect(await stores.reconcile.purgePushAttempts(60_000, 1000)).toBe(0);
      await new Promise((resolve) => setTimeout(resolve, 5));
      expect(await stores.reconcile.purgePushAttempts(0, 3)).toBe(3);
      expect(await stores.pushLedger.deliveries({ taskId: first }, 10)).toEqual([]);
      expect(await stores.pushLedger.deliveries({ taskId: second }, 10)).toMatchObject([{ attempt: 2 }]);
      expect(await stores.reconcile.purgePushAttempts(0, 1000)).toBe(1);
    });

    it('makes what was given up due again, from what is owed or from an event that is named', async () => {
      const taskId = await dead();
      expect(await stores.pushLedger.redeliver({ taskId, tenant: 'other' })).toBe(0);
      expect(await stores.pushLedger.redeliver({ taskId, agentId: 'other' })).toBe(0);
      expect(await stores.pushLedger.redeliver({ taskId, configId: 'other' })).toBe(0);
      expect(await stores.pushLedger.redeliver({ taskId })).toBe(1);
      const claim = await push.claim(taskId);
      expect(claim).toMatchObject({ cursor: 0, failures: 0 });
      await push.settle(claim, { cursor: 4, seen: 4, finished: true, attempt: push.delivered(4) });
      expect(await stores.pushLedger.redeliver({ taskId, configId: 'config' })).toBe(1);
      expect(await push.claims(taskId)).toEqual([]);
      expect(await stores.pushLedger.redeliver({ taskId, configId: 'config' }, 3)).toBe(1);
      expect(await push.claim(taskId)).toMatchObject({ cursor: 2 });
    });

    it('makes all that was given up due again, or what was of one tenant, agent or receiver', async () => {
      const { agentId } = push.life.ctx;
      const taskIds = [await dead(), await dead(), await dead()].sort();
      const open = await push.task();
      for (const other of [{ tenant: 'other' }, { agentId: 'other' }, { agentId, receiver: 'https://other.example' }]) {
        expect(await stores.pushLedger.redeliverDead(other, 10)).toBe(0);
      }
      const ours = { tenant: '', agentId, receiver: push.receiver };
      expect(await stores.pushLedger.redeliverDead(ours, 2)).toBe(2);
      expect(await stores.pushLedger.redeliverDead(ours, 2)).toBe(1);
      expect(await stores.pushLedger.redeliverDead(ours, 2)).toBe(0);
      const claimed = await push.claims(...taskIds, open);
      expect(claimed.map(({ fence }) => fence.taskId).sort()).toEqual([...taskIds, open].sort());
      expect(claimed.every(({ cursor, failures }) => cursor === 0 && failures === 0)).toBe(true);
    });

    it('fences off whoever is delivering', async () => {
      const taskId = await push.task();
      const claim = await push.claim(taskId);
      expect(await stores.pushLedger.redeliver({ taskId }, 1)).toBe(1);
      expect(await push.settle(claim, { cursor: 4, attempt: push.delivered(4) })).toMatchObject({ outcome: 'fenced' });
      expect(await push.claim(taskId)).toMatchObject({ cursor: 0 });
    });
  });
}
