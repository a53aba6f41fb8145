import type { CallContext, PushConfigDraft } from '#core';
import { v7 as uuidv7 } from 'uuid';
import { contextOf, freshAgent, status, userMessage, type Life, type Stores } from './store-fixture.js';
import { PushLife } from './push-fixture.js';

const HOOK = 'https://hooks.example/a';

/** What every PushConfigStore promises, and every TaskStore of a configuration that comes with a message. */
export function pushConfigStoreContract(name: string, open: () => Promise<Stores>): void {
  describe(`${name}: push configurations`, () => {
    let stores: Stores;
    let push: PushLife;
    let life: Life;
    beforeAll(async () => {
      stores = await open();
    });
    afterAll(() => stores.close());
    beforeEach(() => {
      push = new PushLife(stores);
      life = push.life;
    });

    const draft = (more: Partial<PushConfigDraft> = {}): PushConfigDraft => ({
      ...{ id: 'config', url: HOOK, receiver: push.receiver, everyEvent: false, protocolVersion: '1.0', most: 3 },
      protect: () => ({}),
      ...more,
    });
    const put = (taskId: string, more: Partial<PushConfigDraft> = {}, ctx = life.ctx) =>
      stores.pushConfigs.put(ctx, taskId, draft(more));
    const idsOf = async (taskId: string): Promise<string[]> =>
      ((await stores.pushConfigs.list(life.ctx, taskId, { limit: 100 }))?.configs ?? []).map(({ id }) => id);
    const stored = (owed: boolean) => ({ outcome: 'stored', owed });

    /** Accepted, claimed and WORKING: events 1 and 2. */
    const working = async () => {
      const { taskId } = await life.accept();
      const claim = await life.claim(taskId);
      await life.append(claim, 1, [status(taskId, 'TASK_STATE_WORKING')]);
      return { taskId, claim };
    };

    it('keeps one and shows it, without its secrets', async () => {
      const { taskId } = await life.accept();
      const protect = () => ({ scheme: 'Bearer', secrets: Buffer.from('sealed') });
      expect(await put(taskId, { protect })).toEqual(stored(false));
      const shown = { taskId, id: 'config', url: HOOK, scheme: 'Bearer' };
      expect(await stores.pushConfigs.get(life.ctx, taskId, 'config')).toEqual(shown);
      expect(await stores.pushConfigs.list(life.ctx, taskId, { limit: 9 })).toEqual({ configs: [shown], more: false });
      expect(await stores.pushConfigs.get(life.ctx, taskId, 'other')).toBeUndefined();
    });

    it('gives whoever delivers what it needs, from what comes next on', async () => {
      const { taskId, claim } = await working();
      const secrets = Buffer.from([0, 1, 255]);
      await put(taskId, { everyEvent: true, protocolVersion: '0.3', protect: () => ({ scheme: 'Basic', secrets }) });
      expect(await push.claims(taskId)).toEqual([]);
      const appended = await life.append(claim, 2, [status(taskId, 'TASK_STATE_WORKING')]);
      expect(appended).toMatchObject({ outcome: 'appended', pushes: true });
      const [owed] = await push.claims(taskId);
      expect(owed).toMatchObject({
        ...{
          url: HOOK,
          receiver: push.receiver,
          scheme: 'Basic',
          everyEvent: true,
          protocolVersion: '0.3',
          cursor: 2,
          failures: 0,
        },
      });
      expect(Buffer.from(owed?.secrets ?? [])).toEqual(secrets);
    });

    it('owes one of a task that has ended its end, and no more', async () => {
      const taskId = await life.completed();
      expect(await put(taskId)).toEqual(stored(true));
      expect(await push.claim(taskId)).toMatchObject({ cursor: 1 });
      const swept = (await push.claimDue({ limit: 1000 })).claims.map(({ fence }) => fence.taskId);
      expect(swept).not.toContain(taskId);
    });

    it('is due to sweeps too, at once', async () => {
      const taskId = await life.completed();
      await put(taskId);
      const swept = (await push.claimDue({ limit: 1000 })).claims.map(({ fence }) => fence.taskId);
      expect(swept).toContain(taskId);
    });

    it('puts one in the place of another of its id, which stays where it has come to', async () => {
      const { taskId, claim } = await working();
      await put(taskId, { protect: () => ({ scheme: 'Bearer', secrets: Buffer.from('first') }) });
      await life.append(claim, 2, [status(taskId, 'TASK_STATE_WORKING')]);
      const held = await push.claim(taskId);
      await push.settle(held, { cursor: 3, leaseMs: 60_000, attempt: push.delivered(3) });
      const known: unknown[] = [];
      const url = 'https://hooks.example/b';
      const protect: PushConfigDraft['protect'] = (kept) => {
        known.push(kept?.scheme, Buffer.from(kept?.secrets ?? []).toString());
        return kept ?? {};
      };
      expect(await put(taskId, { url, everyEvent: true, protect })).toEqual(stored(false));
      expect(known).toEqual(['Bearer', 'first']);
      expect(await stores.pushConfigs.get(life.ctx, taskId, 'config')).toMatchObject({ url, scheme: 'Bearer' });
      // Whoever was delivering to the first knows nothing of the second.
      expect(await push.settle(held, { cursor: 1 })).toMatchObject({ outcome: 'fenced' });
      expect(await push.claims(taskId)).toEqual([]);
      await life.append(claim, 3, [status(taskId, 'TASK_STATE_WORKING')]);
      expect(await push.claim(taskId)).toMatchObject({ url, everyEvent: true, cursor: 3 });
    });

    it('takes one up again that was given up', async () => {
      const taskId = await life.completed();
      await put(taskId);
      await push.settle(await push.claim(taskId), { attempt: push.failed(2), dueInMs: 600_000 });
      await new Promise((resolve) => setTimeout(resolve, 5));
      expect(await push.claims(taskId)).toEqual([]);
      expect(await put(taskId)).toEqual(stored(true));
      const again = await push.claim(taskId);
      expect(again.failures).toBe(0);
      const attempt = push.failed(2);
      await push.settle(again, { attempt, maxAgeMs: 0 });
      await new Promise((resolve) => setTimeout(resolve, 5));
      expect(await push.settle(await push.claim(taskId), { attempt, maxAgeMs: 0 })).toMatchObject({ outcome: 'dead' });
      expect(await push.claims(taskId)).toEqual([]);
      await put(taskId);
      expect(await push.claim(taskId)).toMatchObject({ cursor: 1, failures: 0 });
    });

    it('stores nothing when it cannot be protected', async () => {
      const { taskId } = await life.accept();
      const refused = new Error('refused');
      const protect = () => {
        throw refused;
      };
      await expect(put(taskId, { protect })).rejects.toBe(refused);
      expect(await idsOf(taskId)).toEqual([]);
      await put(taskId);
      await expect(put(taskId, { url: 'https://else.example/', protect })).rejects.toBe(refused);
      expect(await stores.pushConfigs.get(life.ctx, taskId, 'config')).toMatchObject({ url: HOOK });
    });

    it('keeps no more than a task may have, whoever is faster; one that is there can be changed', async () => {
      const { taskId } = await life.accept();
      const results = await Promise.all(Array.from({ length: 8 }, (_, n) => put(taskId, { id: `c${n}` })));
      expect(results.map(({ outcome }) => outcome).sort()).toEqual([
        ...Array<string>(3).fill('stored'),
        ...Array<string>(5).fill('too-many'),
      ]);
      const [first = ''] = await idsOf(taskId);
      expect(await put(taskId, { id: first })).toEqual(stored(false));
      expect(await idsOf(taskId)).toHaveLength(3);
    });

    it('deletes one, however often it is asked to; one that is made again is another', async () => {
      const taskId = await life.completed();
      await put(taskId);
      const held = await push.claim(taskId);
      for (const _ of ['once', 'twice']) expect(await stores.pushConfigs.delete(life.ctx, taskId, 'config')).toBe(true);
      expect([await idsOf(taskId), await push.claims(taskId)]).toEqual([[], []]);
      expect(await push.settle(held, { cursor: 2 })).toMatchObject({ outcome: 'fenced' });
      await put(taskId);
      const made = await push.claim(taskId);
      expect(made.fence.epoch).not.toBe(held.fence.epoch);
      expect(await push.settle(held, { cursor: 2 })).toMatchObject({ outcome: 'fenced' });
    });

    it('lists by id, in pages', async () => {
      const { taskId } = await life.accept();
      for (const id of ['b', 'c', 'a']) await put(taskId, { id });
      const page = async (after?: string) => {
        const found = await stores.pushConfigs.list(life.ctx, taskId, { limit: 2, ...(after === undefined ? {} : { after }) });
        return [found?.configs.map(({ id }) => id), found?.more];
      };
      expect([await page(), await page('b'), await page('c')]).toEqual([
        [['a', 'b'], true],
        [['c'], false],
        [[], false],
      ]);
    });

    it('a task that is not there, is none yet or is not for the caller has none', async () => {
      const { taskId: own } = await life.accept();
      await put(own);
      const { taskId: unlisted } = await life.accept({ listed: false });
      const others: [string, CallContext][] = [
        [own, { ...life.ctx, tenant: 'other' }],
        [own, { ...life.ctx, principal: { id: 'other' } }],
        [own, contextOf(freshAgent())],
        [unlisted, life.ctx],
        [uuidv7(), life.ctx],
        ['no id', life.ctx],
      ];
      // Each of them has been here before: none is refused for being unknown.
      for (const [, ctx] of others) await life.accept({}, ctx);
      for (const [taskId, ctx] of others) {
        expect(await put(taskId, {}, ctx)).toEqual({ outcome: 'not-found' });
        expect(await stores.pushConfigs.get(ctx, taskId, 'config')).toBeUndefined();
        expect(await stores.pushConfigs.list(ctx, taskId, { limit: 9 })).toBeUndefined();
        expect(await stores.pushConfigs.delete(ctx, taskId, 'config')).toBe(false);
      }
      expect(await idsOf(own)).toEqual(['config']);
    });

    it('comes with a new task, to which all of it is owed', async () => {
      const accepted = await life.accept({ pushConfig: draft() });
      expect(accepted.event.pushes).toBe(true);
      expect(await idsOf(accepted.taskId)).toEqual(['config']);
      expect(await push.claim(accepted.taskId)).toMatchObject({ cursor: 0 });
    });

    it('comes with a message to a task, and is owed that and what follows; or is refused with it', async () => {
      const { taskId } = await working();
      const accept = (id: string) =>
        stores.tasks.acceptFollowUp(life.ctx, { taskId, message: userMessage('x'), pushConfig: draft({ id, most: 1 }) });
      expect(await accept('a')).toMatchObject({ outcome: 'accepted', event: { sequence: 3, pushes: true } });
      expect(await push.claim(taskId)).toMatchObject({ cursor: 2 });
      expect(await accept('b')).toEqual({ outcome: 'too-many-push-configs' });
      expect((await stores.tasks.get(life.ctx, taskId))?.accepted).toBe(2);
      expect(await accept('a')).toMatchObject({ outcome: 'accepted', event: { sequence: 4 } });
      expect(await push.claim(taskId)).toMatchObject({ cursor: 2 });
      expect(await idsOf(taskId)).toEqual(['a']);
    });

    it('comes with a message that is refused not at all', async () => {
      const taskId = await life.completed();
      const message = userMessage('late');
      expect(await stores.tasks.acceptFollowUp(life.ctx, { taskId, message, pushConfig: draft() })).toMatchObject({
        outcome: 'terminal',
      });
      expect(await idsOf(taskId)).toEqual([]);
    });

    it('comes once with a message that is repeated under a key', async () => {
      const ctx = { ...life.ctx, idempotencyKey: 'k' };
      const more = { pushConfig: draft(), requestHash: 'h' };
      const first = await life.accept(more, ctx);
      await stores.pushConfigs.delete(life.ctx, first.taskId, 'config');
      const again = await life.accept(more, ctx);
      expect(again).toMatchObject({ outcome: 'replayed', taskId: first.taskId });
      expect(await idsOf(first.taskId)).toEqual([]);
      expect(await stores.pushConfigs.list(life.ctx, again.taskId, { limit: 9 })).toEqual({ configs: [], more: false });
    });

    it('does no harm beside an answer that is a Message', async () => {
      const { taskId } = await life.accept({ listed: false, pushConfig: draft() });
      expect(await push.claims(taskId)).toEqual([]);
      expect(await stores.pushConfigs.list(life.ctx, taskId, { limit: 9 })).toBeUndefined();
    });

    it('goes with its task, and keeps an old one for a while when something is owed to it', async () => {
      const [owed, done, dead] = [await life.completed(), await life.completed(), await life.completed()];
      for (const taskId of [owed, done, dead]) await put(taskId);
      await push.settle(await push.claim(done), { cursor: 2, finished: true });
      const attempt = push.failed(2);
      await push.settle(await push.claim(dead), { attempt, maxAgeMs: 0 });
      await new Promise((resolve) => setTimeout(resolve, 5));
      await push.settle(await push.claim(dead), { attempt, maxAgeMs: 0 });
      await stores.reconcile.purgeTasks(1, 1000, 600_000);
      const left = async () => {
        const found = await Promise.all([owed, done, dead].map((taskId) => stores.tasks.get(life.ctx, taskId)));
        return found.map((task) => task !== undefined);
      };
      expect(await left()).toEqual([true, false, false]);
      await stores.reconcile.purgeTasks(1, 1000, 0);
      expect([await left(), await push.claims(owed)]).toEqual([[false, false, false], []]);
    });

    it('is erased with its task', async () => {
      const taskId = await life.completed();
      await put(taskId);
      await push.settle(await push.claim(taskId), { attempt: push.failed(2) });
      await stores.erasure.erase({ tenant: life.ctx.tenant, taskId }, 1);
      expect(await push.claims(taskId)).toEqual([]);
      expect(await stores.pushLedger.configs({ taskId, limit: 9 })).toEqual([]);
      expect(await stores.pushLedger.deliveries({ taskId }, 9)).toEqual([]);
    });
  });
}
