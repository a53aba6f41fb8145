import type { AuditEntry, AuditQuery, StoredAuditEntry } from '#core';
import { v7 as uuidv7 } from 'uuid';
import { freshAgent, type Stores } from './store-fixture.js';

/** What every AuditLog promises, and the purge of it. */
export function auditLogContract(name: string, open: () => Promise<Stores>): void {
  describe(`${name}: audit log`, () => {
    let stores: Stores;
    let tenant: string;
    beforeAll(async () => {
      stores = await open();
    });
    afterAll(() => stores.close());
    beforeEach(() => {
      tenant = freshAgent();
    });

    const entry = (more: Partial<AuditEntry> = {}): AuditEntry => ({
      ...{ at: Date.now(), source: 'a2a', operation: 'SendMessage', outcome: 'OK', tenant, principal: 'ada', ...more },
    });
    const record = (...entries: readonly AuditEntry[]): Promise<void> => stores.audit.record(entries);
    const list = (more: Partial<AuditQuery> = {}): Promise<readonly StoredAuditEntry[]> =>
      stores.audit.list({ tenant, limit: 100, ...more });

    it('keeps every field, and what is absent stays so', async () => {
      const whole = entry({
        ...{ at: 1_700_000_000_123, source: 'admin', credentialId: 'k1', agentId: 'echo', taskId: uuidv7(), contextId: 'c' },
        ...{ subject: 'principal ada', address: '192.0.2.1', requestId: 'r-1', count: 7 },
      });
      await record(whole, { at: 1, source: 'host', operation: 'AuditLoss', outcome: 'LOST', tenant });
      const [bare, full] = await list();
      expect(full).toEqual({ ...whole, id: expect.any(Number) });
      expect(bare).toEqual({
        id: expect.any(Number),
        at: 1,
        source: 'host',
        operation: 'AuditLoss',
        outcome: 'LOST',
        tenant,
        count: 1,
      });
    });

    it('lists the newest first, page by page', async () => {
      await record(...[1, 2, 3, 4, 5].map((n) => entry({ subject: String(n) })));
      const subjects = async (more: Partial<AuditQuery>): Promise<unknown[]> => (await list(more)).map(({ subject }) => subject);
      expect(await subjects({ limit: 2 })).toEqual(['5', '4']);
      const [, last] = await list({ limit: 2 });
      expect(await subjects({ limit: 2, before: last?.id as number })).toEqual(['3', '2']);
      expect(await subjects({ before: (await list()).at(-1)?.id as number })).toEqual([]);
    });

    it.each<[string, Partial<AuditEntry>, Partial<AuditQuery>]>([
      ['a principal', { principal: 'eve' }, { principal: 'eve' }],
      ['an agent', { agentId: 'research' }, { agentId: 'research' }],
      ['an operation', { operation: 'CancelTask' }, { operation: 'CancelTask' }],
      ['an outcome', { outcome: 'PERMISSION_DENIED' }, { outcome: 'PERMISSION_DENIED' }],
      ['a time on', { at: 2000 }, { since: 2000, until: 2001 }],
    ])('finds those of %s', async (_what, different, query) => {
      await record(entry({ at: 1000 }), entry({ at: 3000, ...different, subject: 'this' }), entry({ at: 4000 }));
      expect((await list(query)).map(({ subject }) => subject)).toEqual(['this']);
    });

    it('finds those of a task, of every tenant or of one', async () => {
      const taskId = uuidv7();
      await record(entry({ taskId }), entry(), entry({ taskId, tenant: `${tenant}-other` }));
      expect(await list({ taskId })).toHaveLength(1);
      expect(await stores.audit.list({ taskId, limit: 10 })).toHaveLength(2);
      expect(await list({ taskId: uuidv7() })).toEqual([]);
      expect(await list({ taskId: 'no id' })).toEqual([]);
    });

    it('of every tenant, those of no known one are there too', async () => {
      await record({ at: Date.now(), source: 'a2a', operation: 'Admit', outcome: 'UNAUTHENTICATED', subject: tenant });
      expect((await stores.audit.list({ limit: 10 })).map(({ subject }) => subject)).toContain(tenant);
      expect(await list()).toEqual([]);
      expect(await list({ tenant: '' })).toEqual([]);
    });

    it('the purge deletes what is old, a bounded number at a time', async () => {
      const old = Date.now() - 3_600_000;
      await record(entry({ at: old }), entry({ at: old }), entry());
      const purge = (limit: number): Promise<number> => stores.reconcile.purgeAuditEntries(1_800_000, limit);
      expect(await purge(1)).toBe(1);
      expect(await purge(1000)).toBeGreaterThanOrEqual(2);
      expect(await list()).toHaveLength(1);
      expect(await purge(1000)).toBe(0);
    });
  });
}
