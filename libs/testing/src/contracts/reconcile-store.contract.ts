import { Life, artifact, ending, type Stores } from './store-fixture.js';

/** What every ReconcileStore promises of lost hints, expired leases, overdue cancels and old rows. */
export function reconcileStoreContract(name: string, open: () => Promise<Stores>): void {
  describe(`${name}: repair`, () => {
    let stores: Stores;
    let life: Life;
    beforeAll(async () => {
      stores = await open();
    });
    afterAll(() => stores.close());
    beforeEach(() => {
      life = new Life(stores);
    });

    it('offers pending work that nobody has, with growing pauses', async () => {
      const agentIds = [life.ctx.agentId];
      const { taskId } = await life.accept();
      await life.completed();
      const { taskId: held } = await life.accept();
      await life.claim(held);
      const take = (backoffMs: number) => stores.reconcile.takePending({ agentIds, backoffMs, limit: 10 });
      expect(await take(60_000)).toEqual([]);
      await new Promise((resolve) => setTimeout(resolve, 5));
      expect(await take(0)).toEqual([{ taskId, agentId: life.ctx.agentId, turn: 1, epoch: 0 }]);
      expect(await take(60_000)).toEqual([]);
      await new Promise((resolve) => setTimeout(resolve, 5));
      expect(await take(0)).toMatchObject([{ taskId }]);
    });

    it('offers pending work whatever the state, but none that is being canceled', async () => {
      const { taskId: working } = await life.accept();
      await life.followUp(working);
      await life.end(await life.claim(working), 'TASK_STATE_COMPLETED');
      const { taskId: paused } = await life.accept();
      await life.followUp(paused);
      await life.end(await life.claim(paused), 'TASK_STATE_INPUT_REQUIRED');
      const { taskId: canceled } = await life.accept();
      await stores.tasks.cancel(life.ctx, canceled, { force: false });
      await new Promise((resolve) => setTimeout(resolve, 5));
      const works = await stores.reconcile.takePending({ agentIds: [life.ctx.agentId], backoffMs: 0, limit: 10 });
      expect(works.map(({ taskId, turn }) => `${taskId} ${turn}`).sort()).toEqual([`${paused} 2`, `${working} 2`].sort());
    });

    it('offers a lost hint first, however long the backlog of its agent or of others', async () => {
      const idle = new Life(stores);
      const agentIds = [life.ctx.agentId, idle.ctx.agentId];
      for (let i = 0; i < 20; i += 1) await idle.accept();
      for (let i = 0; i < 5; i += 1) await life.accept();
      const take = (limit: number) => stores.reconcile.takePending({ agentIds, backoffMs: 0, limit });
      await new Promise((resolve) => setTimeout(resolve, 5));
      expect(await take(100)).toHaveLength(25);
      const { taskId: lost } = await life.accept();
      const { taskId: lostToo } = await idle.accept();
      await new Promise((resolve) => setTimeout(resolve, 5));
      const works = (await take(4)).map(({ taskId, agentId }) => ({ taskId, agentId }));
      expect(works).toHaveLength(4);
      expect(works).toEqual(
        expect.arrayContaining([expect.objectContaining({ taskId: lost }), expect.objectContaining({ taskId: lostToo })]),
      );
      expect(works.filter(({ agentId }) => agentId === life.ctx.agentId)).toHaveLength(2);
    });

    it('finishes cancels whose grace is over, whatever the lease', async () => {
      const { taskId } = await life.accept();
      const claim = await life.claim(taskId);
      await stores.tasks.cancel(life.ctx, taskId, { force: false });
      const mine = async (graceMs: number) =>
        (await stores.reconcile.overdueCancels(graceMs, 1000)).filter((one) => one.taskId === taskId);
      expect(await mine(60_000)).toEqual([]);
      await new Promise((resolve) => setTimeout(resolve, 5));
      const overdue = await mine(1);
      const events = await stores.reconcile.finishCancels(
        overdue.map((cancel) => ({ cancel, canceled: ending(taskId) })),
        1,
      );
      expect(events).toMatchObject([{ taskId, sequence: 2, state: 'TASK_STATE_CANCELED' }]);
      expect(await life.append(claim, 1, [artifact(taskId, 'x')])).toEqual({ outcome: 'fenced' });
      expect(await mine(1)).toEqual([]);
    });

    it('purges terminal tasks and keeps paused ones, and the counters agree', async () => {
      await life.completed();
      await life.completed();
      const { taskId: paused } = await life.accept();
      await life.end(await life.claim(paused), 'TASK_STATE_INPUT_REQUIRED');
      expect(await stores.reconcile.purgeTasks(60_000, 1000, 0)).toBe(0);
      await new Promise((resolve) => setTimeout(resolve, 5));
      expect(await stores.reconcile.purgeTasks(1, 1, 0)).toBe(1);
      expect(await stores.reconcile.purgeTasks(1, 1000, 0)).toBeGreaterThanOrEqual(1);
      const { tasks, totalSize } = await stores.tasks.list(life.ctx, { limit: 10, view: { historyLength: 0, artifacts: false } });
      expect([JSON.parse(`[${tasks}]`), totalSize]).toEqual([[expect.objectContaining({ id: paused })], 1]);
    });

    it('purges rows that were answered with a Message, and leaves those that wait and those that are young', async () => {
      const answered = await life.answered();
      const { taskId: waiting } = await life.accept({ listed: false });
      expect(await stores.reconcile.purgeAnswers(60_000, 1000)).toBe(0);
      await new Promise((resolve) => setTimeout(resolve, 5));
      expect(await stores.reconcile.purgeAnswers(1, 1000)).toBeGreaterThanOrEqual(1);
      expect(await stores.tasks.get(life.ctx, answered, { unlisted: true })).toBeUndefined();
      expect(await stores.tasks.get(life.ctx, waiting, { unlisted: true })).toMatchObject({ taskId: waiting });
    });

    it('purges no idempotency key before its time, and then a bounded number', async () => {
      for (const idempotencyKey of ['a', 'b', 'c']) await life.accept({}, { ...life.ctx, idempotencyKey });
      expect(await stores.reconcile.purgeKeys(1000)).toBe(0);
      await stores.expireKeys();
      expect(await stores.reconcile.purgeKeys(2)).toBe(2);
      expect(await stores.reconcile.purgeKeys(1000)).toBeGreaterThanOrEqual(1);
      expect(await stores.reconcile.purgeKeys(1000)).toBe(0);
    });
  });
}
