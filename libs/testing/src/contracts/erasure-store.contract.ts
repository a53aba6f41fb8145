import type { CallContext, Erasable } from '#core';
import { randomBytes } from 'node:crypto';
import { eventually } from '../waiting.js';
import { artifact, contextOf, freshAgent, Life, type Stores } from './store-fixture.js';

/** What every ErasureStore promises. */
export function erasureStoreContract(name: string, open: () => Promise<Stores>): void {
  describe(`${name}: erasure`, () => {
    let stores: Stores;
    beforeAll(async () => {
      stores = await open();
    });
    afterAll(() => stores.close());

    const freshTenant = (): string => `tenant-${randomBytes(6).toString('hex')}`;
    const lifeOf = (tenant: string, principal: string, agentId = freshAgent()): Life =>
      new Life(stores, contextOf(agentId, { tenant, principal: { id: principal } }));
    const idsOf = async (ctx: CallContext): Promise<string[]> => {
      const { tasks, totalSize } = await stores.tasks.list(ctx, { limit: 100, view: { historyLength: 0, artifacts: false } });
      const ids = (JSON.parse(`[${tasks}]`) as { id: string }[]).map(({ id }) => id);
      expect(totalSize).toBe(ids.length);
      return ids.sort();
    };

    it.each<[string, (task: { tenant: string; agentId: string; taskId: string }) => Erasable, number]>([
      ['a task', ({ tenant, taskId }) => ({ tenant, taskId }), 1],
      ['a context', ({ tenant }) => ({ tenant, contextId: 'c1' }), 2],
      ['what an agent has of it', ({ tenant, agentId }) => ({ tenant, agentId }), 3],
      ['a principal', ({ tenant }) => ({ tenant, principal: 'ada' }), 4],
      ['a tenant', ({ tenant }) => ({ tenant }), 5],
    ])('%s is gone, and nothing else', async (_what, meant, count) => {
      const tenant = freshTenant();
      const ada = lifeOf(tenant, 'ada');
      const [other, eve] = [lifeOf(tenant, 'ada'), lifeOf(tenant, 'eve')];
      const elsewhere = lifeOf(freshTenant(), 'ada', ada.ctx.agentId);
      const taskId = await ada.completed({ contextId: 'c1' });
      const all = [
        [ada, taskId],
        [ada, await ada.completed({ contextId: 'c1' })],
        [ada, (await ada.accept({ contextId: 'c2' })).taskId],
        [other, await other.completed({ contextId: 'c3' })],
        [eve, await eve.completed({ contextId: 'c4' })],
        [elsewhere, await elsewhere.completed({ contextId: 'c1' })],
      ] as const;
      const what = meant({ tenant, agentId: ada.ctx.agentId, taskId });
      expect(await stores.erasure.count(what)).toBe(count);
      expect(await stores.erasure.erase(what, 100)).toBe(count);
      expect(await stores.erasure.count(what)).toBe(0);
      for (const [n, [life, id]] of all.entries()) {
        const gone = n < count && !(n === 2 && count === 2);
        expect([n, await stores.tasks.get(life.ctx, id)]).toEqual([
          n,
          gone ? undefined : expect.objectContaining({ taskId: id }),
        ]);
        expect((await life.log(id)).length > 0).toBe(!gone);
      }
      for (const { ctx } of [ada, other, eve, elsewhere]) await idsOf(ctx);
      expect(await idsOf(elsewhere.ctx)).toHaveLength(1);
    });

    it('no more than the limit goes at once', async () => {
      const life = lifeOf(freshTenant(), 'ada');
      for (let n = 0; n < 5; n += 1) await life.completed();
      const what = { tenant: life.ctx.tenant };
      expect(await stores.erasure.erase(what, 2)).toBe(2);
      expect(await idsOf(life.ctx)).toHaveLength(3);
      expect(await stores.erasure.erase(what, 100)).toBe(3);
      expect(await stores.erasure.erase(what, 100)).toBe(0);
    });

    it('what runs is fenced off, and rows that never became tasks go too', async () => {
      const life = lifeOf(freshTenant(), 'ada');
      const { taskId } = await life.accept();
      const claim = await life.claim(taskId);
      await life.answered();
      expect(await stores.erasure.erase({ tenant: life.ctx.tenant }, 100)).toBe(2);
      expect(await life.append(claim, 1, [artifact(taskId, 'late')])).toEqual({ outcome: 'fenced' });
      expect(await stores.tasks.readEvents(life.ctx, taskId, 0, 10)).toBeUndefined();
      expect(await life.followUp(taskId)).toMatchObject({ outcome: 'not-found' });
    });

    it('an idempotency key of what is gone can be used anew', async () => {
      const life = lifeOf(freshTenant(), 'ada');
      const keyed = { ...life.ctx, idempotencyKey: 'k' };
      const first = await life.accept({}, keyed);
      await stores.erasure.erase({ tenant: life.ctx.tenant, taskId: first.taskId }, 1);
      expect(await life.tryAccept({}, keyed)).toMatchObject({ outcome: 'accepted' });
    });

    it('idempotency keys go also when their tasks were gone before', async () => {
      const lives = [lifeOf(freshTenant(), 'ada'), lifeOf(freshTenant(), 'ada')] as const;
      const expired = async (): Promise<number> => {
        await stores.expireKeys();
        return stores.reconcile.purgeKeys(1000);
      };
      await expired();
      for (const life of lives) {
        const { taskId } = await life.accept({}, { ...life.ctx, idempotencyKey: 'k' });
        await life.end(await life.claim(taskId), 'TASK_STATE_COMPLETED');
        await eventually(async () => {
          await stores.reconcile.purgeTasks(1, 1000, 0);
          return (await stores.tasks.get(life.ctx, taskId)) === undefined;
        });
      }
      const { tenant } = lives[0].ctx;
      await stores.erasure.eraseIdempotencyKeys({ tenant, principal: 'eve' });
      await stores.erasure.eraseIdempotencyKeys({ tenant, principal: 'ada' });
      expect(await expired()).toBe(1);
    });

    it('a key for every tenant goes with none', async () => {
      const id = randomBytes(8).toString('hex');
      await stores.apiKeys.add({ id, secretHash: randomBytes(32), principal: 'root', scopes: ['admin'], createdAt: 1 });
      for (const tenant of ['', '*']) await stores.erasure.eraseApiKeys({ tenant, principal: 'root' });
      expect(await stores.apiKeys.find(id)).toMatchObject({ id });
    });

    it('API keys go with their tenant or principal', async () => {
      const [tenant, other] = [freshTenant(), freshTenant()];
      const add = async (of: string, principal: string): Promise<string> => {
        const id = randomBytes(8).toString('hex');
        await stores.apiKeys.add({ id, secretHash: randomBytes(32), tenant: of, principal, scopes: [], createdAt: 1 });
        return id;
      };
      const [ada, eve, elsewhere] = [await add(tenant, 'ada'), await add(tenant, 'eve'), await add(other, 'ada')];
      expect(await stores.erasure.countApiKeys({ tenant, principal: 'ada' })).toBe(1);
      expect(await stores.erasure.countApiKeys({ tenant })).toBe(2);
      expect(await stores.erasure.eraseApiKeys({ tenant, principal: 'ada' })).toBe(1);
      expect(await stores.apiKeys.find(ada)).toBeUndefined();
      expect(await stores.apiKeys.find(eve)).toMatchObject({ id: eve });
      expect(await stores.erasure.eraseApiKeys({ tenant })).toBe(1);
      expect(await stores.apiKeys.find(elsewhere)).toMatchObject({ id: elsewhere });
    });
  });
}
