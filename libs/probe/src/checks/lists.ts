import { randomUUID } from 'node:crypto';
import type { Binding } from '../bindings/binding.js';
import { ALL, claim, fail, skip, valueOf, type Check, type CheckContext } from '../check.js';
import { expectError } from '../expect-error.js';
import { idOf, isTerminal, stateOf } from '../task-shape.js';
import { at, listOf, member, sameJson, show, type Json, type JsonObject } from '../wire/json.js';
import { describeFaults, protoJsonFaults } from '../wire/protojson.js';

/** Pages that are turned before a list counts as endless. */
const MOST_PAGES = 20;
const EFFECTS: Check['needs'] = ['sideEffects'];

/** ListTasks (section 3.1.4). */
export const LIST_CHECKS: readonly Check[] = [
  {
    id: 'list.answers',
    title: 'ListTasks answers with tasks, nextPageToken, pageSize and totalSize',
    requirement: 'MUST',
    section: '3.1.4',
    mend: 'Write all four fields always: no more pages is nextPageToken "".',
    bindings: ALL,
    run: async ({ binding }) => {
      const list = await listTasks(binding, { contextId: randomUUID() });
      const faults = protoJsonFaults('ListTasksResponse', list);
      claim(faults.length === 0, describeFaults(faults), show(list));
    },
  },
  {
    id: 'list.page-size-limits',
    title: 'A page size outside 1…100 is not served',
    requirement: 'MUST',
    section: '3.1.4',
    mend: 'Refuse a pageSize of 0 and of 101 with InvalidParams.',
    bindings: ALL,
    run: async ({ binding }) => {
      for (const pageSize of [0, 101]) {
        const reply = await binding.call('ListTasks', { contextId: randomUUID(), pageSize });
        if (reply.value)
          claim(inLimits(reply.value['pageSize']), `pageSize ${pageSize} is served as ${show(reply.value['pageSize'])}`);
        else expectError(reply, 'InvalidParamsError', binding.name);
      }
    },
  },
  {
    id: 'list.bad-token',
    title: 'A page token that is none is refused',
    requirement: 'MUST',
    section: '3.3.2',
    mend: 'Answer InvalidParams for a pageToken that was not given out.',
    bindings: ALL,
    run: async ({ binding }) =>
      void expectError(await binding.call('ListTasks', { pageToken: 'no such token!' }), 'InvalidParamsError', binding.name),
  },
  {
    id: 'list.negative-history',
    title: 'A negative historyLength is refused',
    requirement: 'MUST',
    section: '3.3.2',
    mend: 'Answer InvalidParams for a historyLength below 0.',
    bindings: ALL,
    run: async ({ binding }) =>
      void expectError(await binding.call('ListTasks', { historyLength: -5 }), 'InvalidParamsError', binding.name),
  },
  {
    id: 'list.context',
    title: 'contextId gives the tasks of that context and no others',
    requirement: 'MUST',
    section: '3.1.4',
    mend: 'Filter by contextId.',
    bindings: ALL,
    needs: EFFECTS,
    run: async ({ binding, scenes }) => {
      const { contextId, tasks } = await scenes.listed();
      const found = tasksOf(await listTasks(binding, { contextId })).map(idOf);
      claim(sameSet(found, tasks.map(idOf)), `of ${show(tasks.map(idOf))} it gives ${show(found)}`);
    },
  },
  {
    id: 'list.status',
    title: 'status gives the tasks in that state and no others',
    requirement: 'MUST',
    section: '3.1.4',
    mend: 'Filter by status.',
    bindings: ALL,
    needs: EFFECTS,
    run: async ({ binding, scenes }) => {
      const { contextId, tasks } = await ended(scenes);
      const status = stateOf(tasks[0]);
      const found = tasksOf(await listTasks(binding, { contextId, status }));
      claim(
        found.length > 0 && found.every((task) => stateOf(task) === status),
        `with status ${status} it gives ${show(found.map(stateOf))}`,
      );
      const others = tasksOf(await listTasks(binding, { contextId, status: 'TASK_STATE_AUTH_REQUIRED' }));
      claim(others.length === 0, 'a state that no task is in gives tasks', show(others.map(stateOf)));
    },
  },
  {
    id: 'list.timestamp',
    title: 'statusTimestampAfter gives the tasks from then on',
    requirement: 'MUST',
    section: '3.1.4',
    mend: 'Filter by the status timestamp, with those that are equal.',
    bindings: ALL,
    needs: EFFECTS,
    run: async ({ binding, scenes }) => {
      const { contextId, tasks } = await scenes.listed();
      const newest = at(tasks[2], 'status', 'timestamp');
      if (typeof newest !== 'string') skip('tasks have no timestamps, see task.timestamp');
      const found = tasksOf(await listTasks(binding, { contextId, statusTimestampAfter: newest })).map(idOf);
      claim(found.includes(idOf(tasks[2])), 'the task of that very moment is missing');
      const later = new Date(Date.parse(newest) + 3_600_000).toISOString();
      const none = tasksOf(await listTasks(binding, { contextId, statusTimestampAfter: later }));
      claim(none.length === 0, `an hour later there are ${none.length}`);
    },
  },
  {
    id: 'list.order',
    title: 'The newest status comes first',
    requirement: 'MUST',
    section: '3.1.4',
    mend: 'Sort by the status timestamp, descending.',
    bindings: ALL,
    needs: EFFECTS,
    run: async ({ binding, scenes }) => {
      const { contextId } = await scenes.listed();
      const times = tasksOf(await listTasks(binding, { contextId })).map((task) =>
        Date.parse(String(at(task, 'status', 'timestamp'))),
      );
      if (times.some(Number.isNaN)) skip('tasks have no timestamps, see task.timestamp');
      claim(
        times.every((time, n) => n === 0 || time <= (times[n - 1] as number)),
        `the order is ${show(times)}`,
      );
    },
  },
  {
    id: 'list.total-size',
    title: 'totalSize counts the tasks of all pages',
    requirement: 'MUST',
    section: '3.1.4',
    mend: 'Count before paging.',
    bindings: ALL,
    needs: EFFECTS,
    run: async ({ binding, scenes }) => {
      const { contextId, tasks } = await scenes.listed();
      const { totalSize } = await listTasks(binding, { contextId, pageSize: 1 });
      claim(totalSize === tasks.length, `totalSize is ${show(totalSize)}, there are ${tasks.length}`);
    },
  },
  {
    id: 'list.page-size',
    title: 'A page has at most pageSize tasks',
    requirement: 'MUST',
    section: '3.1.4',
    mend: 'Return at most pageSize tasks.',
    bindings: ALL,
    needs: EFFECTS,
    run: async ({ binding, scenes }) => {
      const { contextId } = await scenes.listed();
      const list = await listTasks(binding, { contextId, pageSize: 2 });
      claim(tasksOf(list).length <= 2, `a page of 2 has ${tasksOf(list).length}`);
      claim(list['pageSize'] === 2, `pageSize is ${show(list['pageSize'])}`);
    },
  },
  {
    id: 'list.pages',
    title: 'Turning the pages shows every task once, and ends',
    requirement: 'MUST',
    section: '3.1.4',
    mend: 'Use a cursor of sort key and id, not an offset.',
    bindings: ALL,
    needs: EFFECTS,
    run: async ({ binding, scenes }) => {
      const { contextId, tasks } = await scenes.listed();
      const seen: string[] = [];
      let pageToken = '';
      for (let page = 0; ; page += 1) {
        if (page > MOST_PAGES) fail('the pages do not end');
        const list = await listTasks(binding, { contextId, pageSize: 1, ...(pageToken && { pageToken }) });
        seen.push(...tasksOf(list).map(idOf));
        pageToken = String(member(list, 'nextPageToken') ?? '');
        if (pageToken === '') break;
      }
      claim(
        seen.length === tasks.length && sameSet(seen, tasks.map(idOf)),
        `of ${show(tasks.map(idOf))} the pages show ${show(seen)}`,
      );
    },
  },
  {
    id: 'list.foreign-token',
    title: 'A page token with other filters is refused',
    requirement: 'SHOULD',
    section: '3.1.4',
    mend: 'Bind the token to its filters, and answer InvalidParams for others.',
    bindings: ALL,
    needs: EFFECTS,
    run: async ({ binding, scenes }) => {
      const { contextId } = await scenes.listed();
      const { nextPageToken: pageToken } = await listTasks(binding, { contextId, pageSize: 1 });
      if (typeof pageToken !== 'string' || pageToken === '') skip('there is no second page, see list.pages');
      const reply = await binding.call('ListTasks', { contextId: randomUUID(), pageSize: 1, pageToken });
      expectError(reply, 'InvalidParamsError', binding.name);
    },
  },
  {
    id: 'list.no-artifacts',
    title: 'Artifacts are left out unless asked for',
    requirement: 'MUST',
    section: '3.1.4',
    mend: 'Omit the field artifacts; neither [] nor null.',
    bindings: ALL,
    needs: EFFECTS,
    run: async ({ binding, scenes }) => {
      const { contextId } = await scenes.listed();
      const wrong = tasksOf(await listTasks(binding, { contextId })).filter((task) => member(task, 'artifacts') !== undefined);
      claim(wrong.length === 0, 'a task has artifacts', show(wrong[0]));
    },
  },
  {
    id: 'list.artifacts',
    title: 'includeArtifacts brings the artifacts',
    requirement: 'MUST',
    section: '3.1.4',
    mend: 'Return the artifacts that GetTask shows.',
    bindings: ALL,
    needs: EFFECTS,
    run: async ({ binding, scenes }) => {
      const { contextId, tasks } = await scenes.listed();
      if (listOf(member(tasks[0], 'artifacts')).length === 0) skip('the agent makes no artifacts');
      const found = tasksOf(await listTasks(binding, { contextId, includeArtifacts: true }));
      claim(
        found.every((task) => listOf(member(task, 'artifacts')).length > 0),
        'a task has none',
        show(found[0]),
      );
    },
  },
  {
    id: 'list.no-history',
    title: 'historyLength 0 leaves the history out of lists',
    requirement: 'SHOULD',
    section: '3.2.4',
    mend: 'Leave the field history out when historyLength is 0.',
    bindings: ALL,
    needs: EFFECTS,
    run: async ({ binding, scenes }) => {
      const { contextId } = await scenes.listed();
      const found = tasksOf(await listTasks(binding, { contextId, historyLength: 0 }));
      claim(!found.some((task) => member(task, 'history') !== undefined), 'a task has a history', show(found[0]));
    },
  },
];

const inLimits = (size: unknown): boolean => typeof size === 'number' && size >= 1 && size <= 100;

async function listTasks(binding: Binding, params: JsonObject): Promise<JsonObject> {
  return valueOf(await binding.call('ListTasks', params), 'ListTasks');
}

const tasksOf = (list: JsonObject): Json[] => listOf(list['tasks']);

const sameSet = (a: readonly string[], b: readonly string[]): boolean => sameJson([...a].sort(), [...b].sort());

async function ended(scenes: CheckContext['scenes']): ReturnType<CheckContext['scenes']['listed']> {
  const listed = await scenes.listed();
  return listed.tasks.every(isTerminal) ? listed : skip('the tasks do not end: choose another --message');
}
