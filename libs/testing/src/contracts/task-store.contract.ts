import type { ListQuery } from '#core';
import type { Task } from '#protocol';
import { v7 as uuidv7 } from 'uuid';
import { Life, artifact, contextOf, userMessage, type Stores } from './store-fixture.js';

const BARE: ListQuery['view'] = { historyLength: 0, artifacts: false };

/** What every TaskStore promises of accepting, reading and canceling; of its pages: `taskListContract`. */
export function taskStoreContract(name: string, open: () => Promise<Stores>): void {
  describe(`${name}: tasks`, () => {
    let stores: Stores;
    let life: Life;
    beforeAll(async () => {
      stores = await open();
    });
    afterAll(() => stores.close());
    beforeEach(() => {
      life = new Life(stores);
    });
    const list = async (query: Partial<ListQuery> = {}, ctx = life.ctx) => {
      const { tasks, ...rest } = await stores.tasks.list(ctx, { limit: 10, view: BARE, ...query });
      return { tasks: JSON.parse(`[${tasks}]`) as Task[], ...rest };
    };

    it('accepts a new task with its first event, and shows it as it is', async () => {
      const { taskId, event, ...accepted } = await life.accept({ contextId: 'c "1" \u2028 🙂' });
      expect(accepted).toMatchObject({ outcome: 'accepted', contextId: 'c "1" \u2028 🙂', turn: 1, epoch: 0 });
      expect(event).toMatchObject({ sequence: 1, kind: 'accepted', state: 'TASK_STATE_SUBMITTED', turn: 1, endsTurn: false });
      expect(JSON.parse(event.payload).statusUpdate).toMatchObject({ taskId, contextId: 'c "1" \u2028 🙂' });
      const stored = await stores.tasks.get(life.ctx, taskId);
      expect(stored).toMatchObject({
        taskId,
        state: 'TASK_STATE_SUBMITTED',
        sequence: 1,
        accepted: 1,
        ended: 0,
        snapshotSequence: 0,
      });
      expect(JSON.parse(stored?.status as string).timestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      expect(stored?.events).toHaveLength(1);
      expect(stored?.events[0]?.message).toBe(event.message);
    });

    it('keeps any text: NUL, lone surrogates, emoji, CRLF', async () => {
      const text = '\u0000 \ud800 🙂 \r\n \u2028 \\ "';
      const { taskId } = await life.accept({ message: { ...userMessage('x'), parts: [{ text }], metadata: { '\u0000': text } } });
      const stored = await stores.tasks.get(life.ctx, taskId);
      const message = JSON.parse(stored?.events[0]?.message as string);
      expect([message.parts[0].text, message.metadata['\u0000']]).toEqual([text, text]);
    });

    it('a message to a task is its next turn: an interrupted one becomes SUBMITTED, a WORKING one stays', async () => {
      const { taskId } = await life.accept();
      await life.end(await life.claim(taskId), 'TASK_STATE_INPUT_REQUIRED');
      expect(await life.followUp(taskId)).toMatchObject({
        outcome: 'accepted',
        turn: 2,
        event: { sequence: 3, state: 'TASK_STATE_SUBMITTED' },
      });
      const claim = await life.claim(taskId);
      await life.append(claim, 1, [{ ...artifact(taskId, 'a') }]);
      const third = { outcome: 'accepted', turn: 3, epoch: claim.fence.epoch, origin: 'api-1' };
      expect(await life.followUp(taskId, 'third')).toMatchObject(third);
      const log = await life.log(taskId);
      expect(JSON.parse(log[2]?.message as string)).toMatchObject({ messageId: 'm-more', taskId, contextId: 'context' });
    });

    it('refuses a message to a terminal task, to one being canceled, with another context, and to none', async () => {
      expect(await life.followUp(await life.completed())).toEqual({ outcome: 'terminal', state: 'TASK_STATE_COMPLETED' });
      const { taskId } = await life.accept();
      const wrong = await stores.tasks.acceptFollowUp(life.ctx, { taskId, contextId: 'another', message: userMessage('x') });
      expect(wrong).toEqual({ outcome: 'context-mismatch' });
      await life.claim(taskId);
      await stores.tasks.cancel(life.ctx, taskId, { force: false });
      expect(await life.followUp(taskId)).toEqual({ outcome: 'canceling' });
      expect(await life.followUp(uuidv7())).toEqual({ outcome: 'not-found' });
      expect(await life.followUp('not-a-uuid')).toEqual({ outcome: 'not-found' });
    });

    it('I7: another tenant, principal or agent sees nothing', async () => {
      const { taskId } = await life.accept();
      const strangers = [
        contextOf(life.ctx.agentId, { tenant: 'x' }),
        contextOf(life.ctx.agentId, { principal: { id: 'x' } }),
        contextOf('another-agent'),
      ];
      for (const ctx of strangers) {
        // A scope that exists must not see it either.
        await life.accept({}, ctx);
        expect(await stores.tasks.get(ctx, taskId)).toBeUndefined();
        expect(await stores.tasks.readEvents(ctx, taskId, 0, 10)).toBeUndefined();
        expect(await stores.tasks.cancel(ctx, taskId, { force: true })).toEqual({ outcome: 'not-found' });
        expect(await life.followUp(taskId, 'x', ctx)).toEqual({ outcome: 'not-found' });
        expect((await stores.tasks.heads([{ ctx, taskId, after: 0 }])).get(taskId) ?? 0).toBe(0);
        expect((await list({}, ctx)).tasks.map((task) => task.id)).not.toContain(taskId);
        const [mine, theirs] = await Promise.all([stores.tasks.get(life.ctx, taskId), stores.tasks.get(ctx, taskId)]);
        expect([mine?.taskId, theirs]).toEqual([taskId, undefined]);
      }
    });

    describe('idempotency keys', () => {
      const keyed = (key: string) => contextOf(life.ctx.agentId, { idempotencyKey: key });

      it('20 at once make one task; the others replay it', async () => {
        const ctx = keyed(uuidv7());
        const results = await Promise.all(Array.from({ length: 20 }, () => life.tryAccept({ requestHash: 'h' }, ctx)));
        expect(results.filter(({ outcome }) => outcome === 'accepted')).toHaveLength(1);
        expect(results.filter(({ outcome }) => outcome === 'replayed')).toHaveLength(19);
        expect(new Set(results.map((result) => 'taskId' in result && result.taskId)).size).toBe(1);
        expect((await list()).totalSize).toBe(1);
      });

      it('another request under the key is refused; another principal’s key is another key', async () => {
        const key = uuidv7();
        await life.tryAccept({ requestHash: 'h' }, keyed(key));
        expect(await life.tryAccept({ requestHash: 'other' }, keyed(key))).toEqual({ outcome: 'key-mismatch' });
        const other = await life.tryAccept({ requestHash: 'other' }, { ...keyed(key), principal: { id: 'p' } });
        expect(other.outcome).toBe('accepted');
      });

      it('a follow-up is taken once, and a refused one leaves the key free', async () => {
        const { taskId } = await life.accept();
        const ctx = keyed(uuidv7());
        const send = (id: string) =>
          stores.tasks.acceptFollowUp(ctx, { taskId: id, message: userMessage('x'), requestHash: 'h' });
        expect(await send(await life.completed())).toMatchObject({ outcome: 'terminal' });
        const results = await Promise.all([send(taskId), send(taskId), send(taskId)]);
        expect(results.map(({ outcome }) => outcome).sort()).toEqual(['accepted', 'replayed', 'replayed']);
        expect(results.map((result) => 'turn' in result && result.turn)).toEqual([2, 2, 2]);
        expect(await life.log(taskId)).toHaveLength(2);
      });

      it('a follow-up is replayed after its task has ended, and refused under the key of another request', async () => {
        const { taskId } = await life.accept();
        const ctx = keyed(uuidv7());
        const send = (requestHash: string) =>
          stores.tasks.acceptFollowUp(ctx, { taskId, message: userMessage('x'), requestHash });
        const first = await send('h');
        await stores.tasks.cancel(life.ctx, taskId, { force: true });
        expect(await send('h')).toEqual({ ...first, outcome: 'replayed', epoch: 1 });
        expect(await send('other')).toEqual({ outcome: 'key-mismatch' });
        expect(await life.log(taskId)).toHaveLength(3);
      });

      it('a key is free again when its task was purged', async () => {
        const ctx = keyed(uuidv7());
        const first = await life.accept({ requestHash: 'h' }, ctx);
        await stores.tasks.cancel(life.ctx, first.taskId, { force: true });
        await new Promise((resolve) => setTimeout(resolve, 5));
        await stores.reconcile.purgeTasks(1, 1000, 0);
        const again = await life.tryAccept({ requestHash: 'other' }, ctx);
        expect(again.outcome).toBe('accepted');
      });
    });

    it('an accept of unknown outcome may be repeated with the same task id, alone or among others', async () => {
      const { taskId, ...accepted } = await life.accept();
      const results = await Promise.all([life.tryAccept(), life.tryAccept(), life.tryAccept({ taskId }), life.tryAccept()]);
      expect(results.map(({ outcome }) => outcome)).toEqual(['accepted', 'accepted', 'replayed', 'accepted']);
      expect(results[2]).toEqual({ ...accepted, taskId, outcome: 'replayed' });
      expect((await list()).totalSize).toBe(4);
    });

    it('reads the log from any cursor, and tells which readers are behind', async () => {
      const { taskId } = await life.accept();
      await life.append(await life.claim(taskId), 1, [artifact(taskId, 'a'), artifact(taskId, 'b'), artifact(taskId, 'c')]);
      const read = async (after: number, limit: number) =>
        (await stores.tasks.readEvents(life.ctx, taskId, after, limit))?.map(({ sequence }) => sequence);
      expect(await Promise.all([read(0, 10), read(1, 2), read(4, 10), read(9, 10)])).toEqual([[1, 2, 3, 4], [2, 3], [], []]);
      expect(await stores.tasks.readEvents(life.ctx, uuidv7(), 0, 10)).toBeUndefined();
      const gone = uuidv7();
      const heads = await stores.tasks.heads([
        { ctx: life.ctx, taskId, after: 4 },
        { ctx: life.ctx, taskId, after: 2 },
        { ctx: life.ctx, taskId: gone, after: 1 },
      ]);
      expect([heads.get(taskId), heads.get(gone)]).toEqual([4, 0]);
      expect((await stores.tasks.heads([{ ctx: life.ctx, taskId, after: 4 }])).size).toBe(0);
      const nobody = contextOf(life.ctx.agentId, { tenant: `nobody-${uuidv7()}` });
      expect(await stores.tasks.heads([{ ctx: nobody, taskId, after: 4 }])).toEqual(new Map([[taskId, 0]]));
    });

    it('says of an event that ended a turn that its task has no metadata', async () => {
      const { taskId } = await life.accept();
      await life.end(await life.claim(taskId), 'TASK_STATE_INPUT_REQUIRED');
      const said = async () => (await life.log(taskId)).map(({ withoutMetadata }) => withoutMetadata);
      expect(await said()).toEqual([undefined, true]);
      await life.followUp(taskId);
      await life.end(await life.claim(taskId), 'TASK_STATE_COMPLETED', 1, { metadata: '{}' });
      expect(await said()).toEqual([undefined, undefined, undefined, undefined]);
    });

    describe('cancel', () => {
      it('commits CANCELED at once when nobody holds the lease', async () => {
        const { taskId } = await life.accept();
        const result = await stores.tasks.cancel(life.ctx, taskId, { force: false });
        const event = { taskId, sequence: 2, kind: 'status', state: 'TASK_STATE_CANCELED', turn: 1, endsTurn: true };
        expect(result).toMatchObject({ outcome: 'canceled', origin: 'api-1', event });
        expect((await life.log(taskId)).at(-1)).toMatchObject('event' in result ? result.event : {});
        expect(await stores.tasks.cancel(life.ctx, taskId, { force: false })).toEqual({ outcome: 'already-canceled' });
      });

      it('asks the holder once, and overrules it by force', async () => {
        const { taskId } = await life.accept();
        await life.claim(taskId);
        const asked = await stores.tasks.cancel(life.ctx, taskId, { force: false });
        expect(asked).toMatchObject({ outcome: 'requested', leaseOwner: life.worker });
        expect(await stores.tasks.cancel(life.ctx, taskId, { force: false })).toEqual(asked);
        expect(await stores.tasks.cancel(life.ctx, taskId, { force: true })).toMatchObject({ outcome: 'canceled' });
        expect(await stores.tasks.get(life.ctx, taskId)).toMatchObject({ state: 'TASK_STATE_CANCELED', sequence: 2 });
      });

      it('loses to another terminal state only', async () => {
        const outcome = await stores.tasks.cancel(life.ctx, await life.completed(), { force: true });
        expect(outcome).toEqual({ outcome: 'not-cancelable', state: 'TASK_STATE_COMPLETED' });
        expect(await stores.tasks.cancel(life.ctx, uuidv7(), { force: false })).toEqual({ outcome: 'not-found' });
      });
    });
  });
}
