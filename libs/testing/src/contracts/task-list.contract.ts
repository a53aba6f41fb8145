import { renderTask, statusEvent, type ListPosition, type ListQuery, type NewEvent, type StoredTask } from '#core';
import type { Task, TaskState } from '#protocol';
import { v7 as uuidv7 } from 'uuid';
import { Life, artifact, type Stores } from './store-fixture.js';

const BARE: ListQuery['view'] = { historyLength: 0, artifacts: false };
const FULL: ListQuery['view'] = { historyLength: 100, artifacts: true };

const ARTIFACTS = JSON.stringify(['before', 'a'].map((artifactId) => ({ artifactId, parts: [{ text: artifactId }] })));
const HISTORY = JSON.stringify(
  ['first', 'second'].map((messageId) => ({ messageId, role: 'ROLE_USER', parts: [{ text: messageId }] })),
);

/** What every TaskStore promises of its pages. */
export function taskListContract(name: string, open: () => Promise<Stores>): void {
  describe(`${name}: lists`, () => {
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

    it('page by page: each once, newest status first, with the exact total', async () => {
      const made: string[] = [];
      for (let i = 0; i < 5; i += 1) made.push((await life.accept({ contextId: i % 2 ? 'odd' : 'even' })).taskId);
      await life.end(await life.claim(made[0] as string), 'TASK_STATE_COMPLETED');
      const seen: string[] = [];
      let after: ListPosition | undefined;
      do {
        const page = await list({ limit: 2, ...(after ? { after } : {}) });
        expect(page.totalSize).toBe(5);
        expect(page.tasks).toHaveLength(seen.length < 4 ? 2 : 1);
        seen.push(...page.tasks.map(({ id }) => id));
        if (page.last) expect(page.last.taskId).toBe(seen.at(-1));
        after = page.last;
      } while (after);
      expect(seen).toHaveLength(5);
      expect([...seen].sort()).toEqual([...made].sort());
    });

    it.each<[string, Partial<ListQuery>, number]>([
      ['context', { contextId: 'even' }, 3],
      ['state', { state: 'TASK_STATE_COMPLETED' }, 1],
      ['context and state', { contextId: 'even', state: 'TASK_STATE_SUBMITTED' }, 2],
      ['a time before all', { statusTimestampAfter: 1 }, 5],
      ['a time after all', { statusTimestampAfter: Date.now() + 60_000 }, 0],
      ['state and time', { state: 'TASK_STATE_SUBMITTED', statusTimestampAfter: 1 }, 4],
      ['context and time', { contextId: 'odd', statusTimestampAfter: 1 }, 2],
      ['everything', { contextId: 'even', state: 'TASK_STATE_COMPLETED', statusTimestampAfter: 1 }, 1],
      ['nothing there', { contextId: 'none' }, 0],
    ])('filter by %s', async (_, filter, expected) => {
      const made: string[] = [];
      for (let i = 0; i < 5; i += 1) made.push((await life.accept({ contextId: i % 2 ? 'odd' : 'even' })).taskId);
      await life.end(await life.claim(made[0] as string), 'TASK_STATE_COMPLETED');
      for (const view of [BARE, FULL]) {
        const { tasks, totalSize, last } = await list({ ...filter, view });
        expect([tasks.length, totalSize, last]).toEqual([expected, expected, undefined]);
      }
    });

    it('count with a time is exact on either side of the middle', async () => {
      const times: number[] = [];
      for (let i = 0; i < 6; i += 1) {
        const { taskId } = await life.accept();
        times.push(Date.parse(JSON.parse((await stores.tasks.get(life.ctx, taskId))?.status as string).timestamp));
      }
      for (const from of times) {
        expect((await list({ statusTimestampAfter: from })).totalSize).toBe(times.filter((time) => time >= from).length);
      }
    });

    it('a page that is full is the last one when nothing follows it', async () => {
      for (let i = 0; i < 2; i += 1) await life.accept();
      for (const view of [BARE, FULL]) {
        const all = await list({ limit: 2, view });
        expect([all.tasks.length, all.last]).toEqual([2, undefined]);
        const { tasks, last } = await list({ limit: 1, view });
        expect([tasks.length, last?.taskId]).toEqual([1, tasks[0]?.id]);
      }
    });

    it.each([[BARE], [FULL]])('a page beyond the last task is empty, with the total: %j', async (view) => {
      const { taskId } = await life.accept();
      const after = { statusTimestamp: 1, taskId };
      expect(await list({ after, view })).toEqual({ tasks: [], totalSize: 1 });
    });

    it('writes any text as it is, and a task as a read of it does', async () => {
      const texts = ['"', '\\', '\n,\r\n', '\u0001', '\u2028', '🙂é', ' '];
      for (const [i, text] of texts.entries()) {
        const { taskId } = await life.accept({ contextId: text });
        const metadata = i % 2 ? { metadata: JSON.stringify({ text }) } : {};
        await life.end(await life.claim(taskId), 'TASK_STATE_COMPLETED', 1, metadata);
      }
      const { tasks } = await list();
      expect(tasks.map(({ contextId }) => contextId).sort()).toEqual([...texts].sort());
      for (const task of tasks) {
        const stored = (await stores.tasks.get(life.ctx, task.id)) as StoredTask;
        expect(task).toEqual(JSON.parse(renderTask(stored, BARE)));
      }
      expect(tasks.filter(({ metadata }) => metadata !== undefined)).toHaveLength(3);
    });

    it('brings artifacts and history only when asked', async () => {
      const { taskId } = await life.accept();
      const claim = await life.claim(taskId);
      await life.append(claim, 1, [artifact(taskId, 'a')], { snapshot: { base: 1, artifacts: ARTIFACTS, history: HISTORY } });
      await life.append(claim, 2, [artifact(taskId, 'b')]);
      const shown = async (view: ListQuery['view']) => {
        const [task] = (await list({ view })).tasks;
        return [task?.artifacts?.map(({ artifactId }) => artifactId), task?.history?.map(({ messageId }) => messageId)];
      };
      expect(await shown(BARE)).toEqual([undefined, undefined]);
      expect(await shown({ historyLength: 0, artifacts: true })).toEqual([['before', 'a'], undefined]);
      expect(await shown({ historyLength: 1, artifacts: false })).toEqual([undefined, ['second']]);
      expect(await shown(FULL)).toEqual([
        ['before', 'a'],
        ['first', 'second'],
      ]);
    });

    describe('a page that was read before', () => {
      /** Three times, since what an adapter remembers may depend on how often it was asked. */
      const seen = async (query: Partial<ListQuery> = {}) => {
        const reads = [];
        for (let i = 0; i < 3; i += 1) reads.push(await list({ limit: 2, ...query }));
        const [{ tasks, totalSize, last }, ...again] = reads as [(typeof reads)[number]];
        for (const read of again) expect(read).toEqual({ tasks, totalSize, ...(last && { last }) });
        return { states: tasks.map(({ id, status: { state } }) => [id, state]), totalSize, next: last?.taskId };
      };

      it.each<[string, Partial<ListQuery>]>([
        ['of all', {}],
        ['of a context', { contextId: 'context' }],
        ['since a time', { statusTimestampAfter: 1 }],
      ])('shows what has happened since: %s', async (_, query) => {
        const later = (state: TaskState, seconds: number): NewEvent =>
          statusEvent({ taskId: first, contextId: 'context' }, state, Date.now() + seconds * 1000, {});
        expect(await seen(query)).toEqual({ states: [], totalSize: 0, next: undefined });
        const { taskId: first } = await life.accept();
        const submitted = { states: [[first, 'TASK_STATE_SUBMITTED']], totalSize: 1, next: undefined };
        expect(await seen(query)).toEqual(submitted);
        const claim = await life.claim(first);
        await life.append(claim, 1, [later('TASK_STATE_WORKING', 1)]);
        const working = [first, 'TASK_STATE_WORKING'];
        expect(await seen(query)).toEqual({ states: [working], totalSize: 1, next: undefined });
        const { taskId: second } = await life.accept();
        expect(await seen(query)).toEqual({ states: [working, [second, 'TASK_STATE_SUBMITTED']], totalSize: 2, next: undefined });
        await stores.tasks.cancel(life.ctx, second, { force: false });
        await life.append(claim, 2, [later('TASK_STATE_COMPLETED', 2)], { endsTurn: true });
        const { taskId: third } = await life.accept();
        const completed = [first, 'TASK_STATE_COMPLETED'];
        expect(await seen(query)).toEqual({ states: [completed, [third, 'TASK_STATE_SUBMITTED']], totalSize: 3, next: third });
      });

      it('shows a status of the same state and the same millisecond, and new metadata', async () => {
        const { taskId } = await life.accept();
        const claim = await life.claim(taskId);
        const shown = async () => {
          await seen({ limit: 10 });
          const [task] = (await list()).tasks;
          return [task?.status.message?.messageId, task?.metadata?.['n']];
        };
        const at = Date.now();
        const working = (text: string): NewEvent =>
          statusEvent({ taskId, contextId: 'context' }, 'TASK_STATE_WORKING', at, {
            message: { messageId: text, role: 'ROLE_AGENT', parts: [{ text }] },
          });
        await life.append(claim, 1, [working('one')]);
        expect(await shown()).toEqual(['one', undefined]);
        await life.append(claim, 2, [working('two')]);
        expect(await shown()).toEqual(['two', undefined]);
        await life.append(claim, 3, [artifact(taskId, 'a')], { metadata: '{"n":1}' });
        expect(await shown()).toEqual(['two', 1]);
      });

      it('has no task that was erased, and says when nothing follows it any more', async () => {
        const made: string[] = [];
        for (let i = 0; i < 3; i += 1) made.push((await life.accept()).taskId);
        const [oldest, middle, newest] = made as [string, string, string];
        expect(await seen()).toMatchObject({ totalSize: 3, next: middle });
        await stores.erasure.erase({ tenant: '', taskId: oldest }, 10);
        expect(await seen()).toMatchObject({ totalSize: 2, next: undefined });
        await stores.erasure.erase({ tenant: '', taskId: newest }, 10);
        expect(await seen()).toEqual({ states: [[middle, 'TASK_STATE_SUBMITTED']], totalSize: 1, next: undefined });
      });

      it('counts what came outside of it', async () => {
        const [{ taskId: older }, { taskId: newer }] = [await life.accept(), await life.accept()];
        const after = (await list({ limit: 1 })).last as ListPosition;
        const states = [[older, 'TASK_STATE_SUBMITTED']];
        expect(await seen({ after })).toEqual({ states, totalSize: 2, next: undefined });
        await life.accept();
        expect(await seen({ after })).toEqual({ states, totalSize: 3, next: undefined });
        expect(newer).toBe(after.taskId);
      });

      it("is nobody else's", async () => {
        await life.accept();
        expect(await seen()).toMatchObject({ totalSize: 1 });
        const other = { ...life.ctx, principal: { id: uuidv7() } };
        expect(await list({}, other)).toEqual({ tasks: [], totalSize: 0 });
      });
    });
  });
}
