import { artifact, ending, Life, status, type Stores } from './store-fixture.js';
import { freshReceiver, PushLife } from './push-fixture.js';

/** What every PushDeliveryStore promises of claims, logs and settlements. */
export function pushDeliveryStoreContract(name: string, open: () => Promise<Stores>): void {
  describe(`${name}: push delivery`, () => {
    let stores: Stores;
    let push: PushLife;
    beforeAll(async () => {
      stores = await open();
    });
    afterAll(() => stores.close());
    beforeEach(() => {
      push = new PushLife(stores);
    });

    it('claims what is owed once, with all that a delivery needs', async () => {
      const secrets = Buffer.from('sealed');
      const taskId = await push.task({ scheme: 'Bearer', secrets, protocolVersion: '0.3', everyEvent: true, cursor: 1 });
      const claim = await push.claim(taskId);
      expect({ ...claim, secrets: Buffer.from(claim.secrets ?? []) }).toEqual({
        fence: { taskId, configId: 'config', owner: 'dispatcher-1', epoch: 1 },
        ...{ url: `${push.receiver}/hook`, receiver: push.receiver, scheme: 'Bearer', secrets },
        ...{ everyEvent: true, protocolVersion: '0.3', cursor: 1, failures: 0 },
      });
      expect(await push.claimDue({ taskIds: [taskId], owner: 'dispatcher-2' })).toEqual({
        claims: [],
        waiting: [{ taskId, receiver: push.receiver, leased: true }],
      });
    });

    it('claims nothing of a configuration that has had everything, has finished, or whose row is no task', async () => {
      const all = await push.task({ cursor: 4 });
      const finished = await push.task();
      await push.settle(await push.claim(finished), { cursor: 2, finished: true });
      const { taskId: unlisted } = await push.life.accept({ listed: false });
      await push.config(unlisted);
      expect(await push.claimDue({ taskIds: [all, finished, unlisted] })).toEqual({ claims: [], waiting: [] });
    });

    it('finds without a hint what is due, and again when a lease has expired', async () => {
      const taskId = await push.task();
      const mine = async () => (await push.claimDue({ limit: 1000 })).claims.filter(({ fence }) => fence.taskId === taskId);
      const [first] = await mine();
      expect(first).toMatchObject({ cursor: 0 });
      expect(await mine()).toEqual([]);
      await stores.expireLeases();
      expect(await mine()).toMatchObject([{ fence: { epoch: 2 } }]);
      expect(await push.settle(first!, { cursor: 4 })).toEqual({ outcome: 'fenced', more: false });
    });

    it('renews leases that are held, and says which are not', async () => {
      const [kept, lost, gone] = [
        await push.claim(await push.task()),
        await push.claim(await push.task()),
        await push.claim(await push.task()),
      ];
      await push.settle(lost, {});
      const other = { ...gone.fence, epoch: gone.fence.epoch + 1 };
      const fences = [kept.fence, lost.fence, other];
      await stores.expireLeases();
      expect(await stores.pushes.renew(fences, 60_000)).toEqual([lost.fence, other]);
      const claimed = await push.claims(...fences.map(({ taskId }) => taskId));
      expect(claimed.map(({ fence }) => fence.taskId).sort()).toEqual([lost.fence.taskId, gone.fence.taskId].sort());
    });

    it('claims no more of a receiver than it has room for, and says what waits', async () => {
      const taskIds = [await push.task(), await push.task(), await push.task()];
      const other = freshReceiver();
      const elsewhere = await push.task({ receiver: other });
      const { claims, waiting } = await push.claimDue({
        taskIds: [...taskIds, elsewhere],
        perReceiver: 10,
        rooms: new Map([[push.receiver, 2]]),
      });
      const ofOurs = claims.filter(({ receiver }) => receiver === push.receiver);
      expect([ofOurs.length, claims.length]).toEqual([2, 3]);
      const [left] = taskIds.filter((id) => !ofOurs.some(({ fence }) => fence.taskId === id));
      expect(waiting.filter(({ leased }) => !leased)).toEqual([{ taskId: left, receiver: push.receiver, leased: false }]);
      const closed = await push.claimDue({ taskIds, rooms: new Map([[push.receiver, 0]]) });
      expect(closed.claims).toEqual([]);
    });

    it('deals a limit out among receivers', async () => {
      const busy = [await push.task(), await push.task(), await push.task()];
      const receiver = freshReceiver();
      const taskId = await push.task({ receiver });
      const { claims } = await push.claimDue({ taskIds: [...busy, taskId], limit: 2 });
      expect(claims.map((claim) => claim.receiver).sort()).toEqual([push.receiver, receiver].sort());
    });

    it('lets many dispatchers claim at once, each configuration to one', async () => {
      const taskIds = await Promise.all(Array.from({ length: 20 }, () => push.task()));
      const results = await Promise.all(
        Array.from({ length: 4 }, (_, n) => push.claimDue({ owner: `dispatcher-${n}`, taskIds, limit: 10 })),
      );
      const claimed = results.flatMap(({ claims }) => claims.map(({ fence }) => fence.taskId));
      expect(new Set(claimed).size).toBe(claimed.length);
      const rest = await push.claims(...taskIds);
      expect(claimed.length + rest.length).toBe(20);
    });

    it('reads a log page by page, as it was recorded', async () => {
      const taskId = await push.task();
      const log = await push.life.log(taskId);
      expect(await stores.pushes.read(taskId, 1, 2)).toEqual({
        contextId: 'context',
        events: [2, 3].map((sequence) => {
          const { withoutMetadata: _, ...event } = log[sequence - 1]!;
          return event;
        }),
      });
      expect((await stores.pushes.read(taskId, 4, 2))?.events).toEqual([]);
      expect(await stores.pushes.read('00000000-0000-7000-8000-000000000000', 0, 2)).toBeUndefined();
    });

    it('settles a delivery: cursor, ledger and lease together', async () => {
      const taskId = await push.task();
      const claim = await push.claim(taskId);
      expect(await push.settle(claim, { cursor: 2, seen: 4, leaseMs: 60_000, attempt: push.delivered(2) })).toEqual({
        outcome: 'settled',
        more: false,
      });
      expect(await push.claims(taskId)).toEqual([]);
      expect(await push.settle(claim, { cursor: 3, seen: 3, attempt: push.delivered(3) })).toEqual({
        outcome: 'settled',
        more: true,
      });
      expect(await push.claims(taskId)).toMatchObject([{ cursor: 3, fence: { epoch: 3 } }]);
      expect(await push.settle(claim, { cursor: 4, attempt: push.delivered(4) })).toEqual({ outcome: 'fenced', more: false });
      const entries = await stores.pushLedger.deliveries({ taskId }, 10);
      expect(entries.map(({ sequence, outcome }) => [sequence, outcome])).toEqual([
        [3, 'delivered'],
        [2, 'delivered'],
      ]);
    });

    it('settles a failure: the cursor stays, and a hint does not shorten the pause', async () => {
      const taskId = await push.task();
      await push.settle(await push.claim(taskId), { attempt: push.failed(1), dueInMs: 60_000 });
      expect(await push.claimDue({ taskIds: [taskId] })).toEqual({ claims: [], waiting: [] });
      expect((await push.claimDue({ limit: 1000 })).claims.filter(({ fence }) => fence.taskId === taskId)).toEqual([]);
      const again = await push.task();
      await push.settle(await push.claim(again), { attempt: push.failed(1) });
      const claim = await push.claim(again);
      expect(claim).toMatchObject({ cursor: 0, failures: 1 });
      await push.settle(claim, { cursor: 1, seen: 1, attempt: push.delivered(1) });
      expect(await push.claim(again)).toMatchObject({ cursor: 1, failures: 0 });
    });

    it('what failed without a pause is due at once, to hints and to sweeps', async () => {
      // Twenty, for a time that is rounded up is not yet there in a part of all cases.
      for (let n = 0; n < 20; n += 1) {
        const taskId = await push.task();
        await push.settle(await push.claim(taskId), { attempt: push.failed(1) });
        await push.settle(await push.claim(taskId), { attempt: push.failed(1) });
        const swept = (await push.claimDue({ limit: 1000 })).claims.map(({ fence }) => fence.taskId);
        expect(swept).toContain(taskId);
      }
    });

    it('a configuration that only waits for more is looked at again by a hint, and by no sweep before its time', async () => {
      const taskId = await push.task();
      await push.settle(await push.claim(taskId), { cursor: 2, dueInMs: 60_000 });
      expect((await push.claimDue({ limit: 1000 })).claims.filter(({ fence }) => fence.taskId === taskId)).toEqual([]);
      expect(await push.claim(taskId)).toMatchObject({ cursor: 2 });
    });

    it('gives up what has failed for too long, and nothing before', async () => {
      const taskId = await push.task();
      expect(await push.settle(await push.claim(taskId), { attempt: push.failed(1) })).toMatchObject({ outcome: 'settled' });
      await new Promise((resolve) => setTimeout(resolve, 5));
      const claim = await push.claim(taskId);
      expect(await push.settle(claim, { attempt: push.failed(1, 2), maxAgeMs: 1 })).toMatchObject({ outcome: 'dead' });
      expect(await push.claimDue({ taskIds: [taskId] })).toEqual({ claims: [], waiting: [] });
    });

    it('settles many at once, each by its own fence', async () => {
      const taskIds = [await push.task(), await push.task()];
      await push.config(taskIds[0]!, { id: 'second' });
      const claims = await push.claims(...taskIds);
      expect(claims).toHaveLength(3);
      const stale = { ...claims[2]!, fence: { ...claims[2]!.fence, epoch: 7 } };
      const settled = await Promise.all([...claims.slice(0, 2), stale].map((claim) => push.settle(claim, { cursor: 1 })));
      expect(settled.map(({ outcome }) => outcome)).toEqual(['settled', 'settled', 'fenced']);
    });

    it('every writer of events says that the task has a configuration', async () => {
      const { taskId } = await push.life.accept();
      const claim = await push.life.claim(taskId);
      expect(await push.life.append(claim, 1, [artifact(taskId, 'x')])).not.toHaveProperty('pushes');
      await push.config(taskId);
      expect(await push.life.append(claim, 2, [artifact(taskId, 'y')])).toMatchObject({ pushes: true });
      expect(await push.life.append(claim, 2, [artifact(taskId, 'y')])).toMatchObject({ outcome: 'duplicate', pushes: true });
      expect(await push.life.followUp(taskId)).toMatchObject({ event: { pushes: true } });
      await push.life.append(claim, 3, [status(taskId, 'TASK_STATE_INPUT_REQUIRED')], { endsTurn: true });
      expect(await stores.tasks.cancel(push.life.ctx, taskId, { force: false })).toMatchObject({ event: { pushes: true } });
    });

    it('and so do those that end a task for others', async () => {
      const running = async () => {
        const { taskId } = await push.life.accept();
        await push.config(taskId);
        return push.life.claim(taskId, { recovery: 'fail', maxAttempts: 1 });
      };
      const fail = { policy: { recovery: 'fail' as const, maxAttempts: 1 } };
      expect(await push.life.release(await running(), fail)).toMatchObject({ event: { pushes: true } });
      const { fence } = await running();
      await stores.tasks.cancel(push.life.ctx, fence.taskId, { force: false });
      await new Promise((resolve) => setTimeout(resolve, 5));
      const cancel = { taskId: fence.taskId, contextId: 'context', agentId: push.life.ctx.agentId, origin: 'api-1' };
      const finished = await stores.reconcile.finishCancels([{ cancel, canceled: ending(fence.taskId) }], 1);
      expect(finished).toMatchObject([{ pushes: true }]);
      const lost = await running();
      await stores.expireLeases();
      const leases = (await stores.reconcile.expiredLeases(1000)).filter(({ taskId }) => taskId === lost.fence.taskId);
      const canceled = ending(lost.fence.taskId);
      const reaped = await stores.reconcile.reap(leases.map((lease) => ({ lease, failed: canceled, canceled })));
      expect(reaped).toMatchObject([{ event: { pushes: true } }]);
    });

    it('forgets configurations and ledger with their task', async () => {
      const life = new Life(stores);
      const taskId = await push.task();
      await push.settle(await push.claim(taskId), { attempt: push.failed(1) });
      const kept = await push.task();
      await stores.erasure.erase({ tenant: '', taskId }, 10);
      expect(await stores.pushLedger.configs({ taskId, limit: 10 })).toEqual([]);
      expect(await stores.pushLedger.deliveries({ taskId }, 10)).toEqual([]);
      expect(await stores.pushLedger.configs({ taskId: kept, limit: 10 })).toHaveLength(1);
      expect(await life.log(taskId)).toEqual([]);
    });
  });
}
