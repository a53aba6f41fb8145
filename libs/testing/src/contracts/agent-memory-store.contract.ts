import { FENCED, MEMORY_LIMITS, type Claim, type Fence } from '#core';
import { randomBytes } from 'node:crypto';
import { contextOf, freshAgent, Life, type Stores } from './store-fixture.js';

/** What every AgentMemoryStore promises, and the stores that delete what it keeps. */
export function agentMemoryStoreContract(name: string, open: () => Promise<Stores>): void {
  describe(`${name}: what agents remember`, () => {
    let stores: Stores;
    let life: Life;
    beforeAll(async () => {
      stores = await open();
    });
    afterAll(() => stores.close());
    beforeEach(() => {
      life = new Life(stores);
    });

    const fresh = (): string => randomBytes(6).toString('hex');
    const running = async (of: Life, contextId: string): Promise<Claim> => of.claim((await of.accept({ contextId })).taskId);
    const remember = async (of: Life, contextId: string, key: string): Promise<Fence> => {
      const { fence } = await running(of, contextId);
      expect(await stores.memory.set(fence, key, `"${key}"`)).toBe('written');
      return fence;
    };

    it('keeps values under keys, replaces them, and forgets them', async () => {
      const { fence } = await running(life, fresh());
      expect(await stores.memory.get(fence, 'a')).toBeUndefined();
      expect(await stores.memory.keys(fence, '')).toEqual([]);
      expect(await stores.memory.set(fence, 'a', '{"n":1}')).toBe('written');
      expect(await stores.memory.set(fence, 'a', '"\\u0000ü"')).toBe('written');
      expect(await stores.memory.get(fence, 'a')).toBe('"\\u0000ü"');
      expect(await stores.memory.delete(fence, 'a')).toBe(true);
      expect(await stores.memory.delete(fence, 'a')).toBe(false);
      expect(await stores.memory.get(fence, 'a')).toBeUndefined();
    });

    it('lists the keys that begin with a prefix, in order of their code points', async () => {
      const { fence } = await running(life, fresh());
      for (const key of ['b', 'a%', 'B', 'a_', 'a', '😀', 'é']) await stores.memory.set(fence, key, '1');
      expect(await stores.memory.keys(fence, '')).toEqual(['B', 'a', 'a%', 'a_', 'b', 'é', '😀']);
      expect(await stores.memory.keys(fence, 'a')).toEqual(['a', 'a%', 'a_']);
      expect(await stores.memory.keys(fence, 'a%')).toEqual(['a%']);
      expect(await stores.memory.keys(fence, 'c')).toEqual([]);
    });

    it('is of one context, shared by its tasks, and apart for each tenant, principal, agent and context', async () => {
      const contextId = fresh();
      const { agentId } = life.ctx;
      await remember(life, contextId, 'mine');
      const again = await running(life, contextId);
      expect(await stores.memory.get(again.fence, 'mine')).toBe('"mine"');
      const others = [
        [life, fresh()],
        [new Life(stores, contextOf(freshAgent())), contextId],
        [new Life(stores, contextOf(agentId, { tenant: fresh() })), contextId],
        [new Life(stores, contextOf(agentId, { principal: { id: fresh() } })), contextId],
      ] as const;
      for (const [other, id] of others) {
        const { fence } = await running(other, id);
        expect(await stores.memory.keys(fence, '')).toEqual([]);
        expect(await stores.memory.delete(fence, 'mine')).toBe(false);
      }
      expect(await stores.memory.get(again.fence, 'mine')).toBe('"mine"');
    });

    it('I4: is read and written by the holder of the lease alone', async () => {
      const claim = await running(life, fresh());
      const { fence } = claim;
      await stores.memory.set(fence, 'a', '1');
      const fencedOff = async (strange: Fence): Promise<void> => {
        expect(await stores.memory.get(strange, 'a')).toBe(FENCED);
        expect(await stores.memory.set(strange, 'a', '2')).toBe(FENCED);
        expect(await stores.memory.delete(strange, 'a')).toBe(FENCED);
        expect(await stores.memory.keys(strange, '')).toBe(FENCED);
      };
      await fencedOff({ ...fence, workerId: 'stranger' });
      await fencedOff({ ...fence, epoch: fence.epoch + 1 });
      expect(await stores.memory.get(fence, 'a')).toBe('1');
      await stores.expireLeases();
      await life.reap();
      await fencedOff(fence);
      const next = await life.claim(fence.taskId);
      expect(await stores.memory.get(next.fence, 'a')).toBe('1');
      await life.end(next, 'TASK_STATE_COMPLETED');
      await fencedOff(next.fence);
    });

    it(`has room for ${MEMORY_LIMITS.keysPerContext} keys; those that are there can still be written`, async () => {
      const { fence } = await running(life, fresh());
      for (let from = 0; from < MEMORY_LIMITS.keysPerContext; from += 50) {
        await Promise.all(Array.from({ length: 50 }, (_, n) => stores.memory.set(fence, `k${from + n}`, '1')));
      }
      expect(await stores.memory.set(fence, 'one more', '1')).toBe('full');
      expect(await stores.memory.set(fence, 'k7', '2')).toBe('written');
      await stores.memory.delete(fence, 'k7');
      expect(await stores.memory.set(fence, 'one more', '1')).toBe('written');
    });

    it('is erased with a context, an agent, a principal or a tenant, and stays when one task is erased', async () => {
      const tenant = fresh();
      const of = (principal: string, agentId: string): Life =>
        new Life(stores, contextOf(agentId, { tenant, principal: { id: principal } }));
      const [a, b] = [freshAgent(), freshAgent()];
      const [ada, adaB, eve] = [of('ada', a), of('ada', b), of('eve', a)];
      const { taskId } = await remember(ada, 'c1', 'x');
      await remember(ada, 'c1', 'y');
      await remember(ada, 'c2', 'x');
      await remember(adaB, 'c1', 'x');
      await remember(eve, 'c1', 'x');
      const { erasure } = stores;
      expect(await erasure.countMemories({ tenant, taskId })).toBe(0);
      expect(await erasure.eraseMemories({ tenant, taskId }, 10)).toBe(0);
      expect(await erasure.countMemories({ tenant })).toBe(5);
      const narrow = { tenant, principal: 'ada', agentId: a, contextId: 'c1' };
      expect(await erasure.countMemories(narrow)).toBe(2);
      expect(await erasure.eraseMemories(narrow, 1)).toBe(1);
      expect(await erasure.eraseMemories(narrow, 10)).toBe(1);
      expect(await erasure.eraseMemories({ tenant, principal: 'ada', agentId: a }, 10)).toBe(1);
      expect(await erasure.eraseMemories({ tenant, principal: 'ada' }, 10)).toBe(1);
      expect(await erasure.eraseMemories({ tenant }, 10)).toBe(1);
    });

    it('is purged once its context has no task and it is old', async () => {
      const contextId = fresh();
      const fence = await remember(life, contextId, 'x');
      const kept = await remember(life, fresh(), 'x');
      const memories = (): Promise<number> => stores.erasure.countMemories({ tenant: '', agentId: life.ctx.agentId });
      await stores.ageMemories(100_000);
      await stores.reconcile.purgeMemories(1000, 1000);
      expect(await memories()).toBe(2);
      await stores.erasure.erase({ tenant: '', taskId: fence.taskId }, 1);
      await stores.reconcile.purgeMemories(200_000, 1000);
      expect(await memories()).toBe(2);
      await stores.reconcile.purgeMemories(1000, 1000);
      expect(await memories()).toBe(1);
      expect(await stores.memory.get(kept, 'x')).toBe('"x"');
    });
  });
}
