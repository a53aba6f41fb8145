import { collect } from '../bindings/binding.js';
import { ALL, WEB, claim, fail, skip, type Check, type CheckContext } from '../check.js';
import { expectError } from '../expect-error.js';
import { idOf, isTerminal, stateOfFrame, TERMINAL } from '../task-shape.js';
import { at, isObject, member, sameJson, show, type Json, type JsonObject } from '../wire/json.js';

const NEEDS: Check['needs'] = ['sideEffects', 'streaming', 'messageThatWorks'];

/** SubscribeToTask (sections 3.1.6, 3.5.2). */
export const SUBSCRIPTION_CHECKS: readonly Check[] = [
  {
    id: 'subscribe.terminal-task',
    title: 'A subscription to a finished task is UnsupportedOperationError',
    requirement: 'MUST',
    section: '3.1.6',
    mend: 'Refuse it with an error in place of a stream.',
    bindings: ALL,
    needs: ['sideEffects', 'streaming'],
    run: async ({ binding, scenes }) => {
      const stream = await binding.open('SubscribeToTask', { id: idOf(await scenes.terminalTask()) });
      stream.close();
      expectError(stream, 'UnsupportedOperationError', binding.name);
    },
  },
  {
    id: 'subscribe.first-event',
    title: 'A subscription begins with the Task as it is',
    requirement: 'MUST',
    section: '3.1.6',
    mend: 'Send the Task first, and updates after it.',
    bindings: ALL,
    needs: NEEDS,
    run: async (context) => {
      const { task, values } = await watch(context);
      claim(at(values[0], 'task', 'id') === idOf(task), 'the first event is not the Task', show(values[0]));
    },
  },
  {
    id: 'subscribe.ends',
    title: 'A subscription ends when the task does',
    requirement: 'MUST',
    section: '3.1.6',
    mend: 'Close the stream at the terminal status.',
    bindings: ALL,
    needs: NEEDS,
    run: async (context) => {
      const { values, end } = await watch(context);
      const last = values.map(stateOfFrame).findLast((state) => state !== undefined) ?? 'no state';
      claim(end === 'closed' && TERMINAL.includes(last), `the stream is ${end} at ${last}`);
    },
  },
  {
    id: 'subscribe.same-events',
    title: 'Two subscriptions see the same events in the same order',
    requirement: 'MUST',
    section: '3.5.2',
    mend: 'Send every event to every stream of the task.',
    bindings: ALL,
    needs: NEEDS,
    run: async (context) => {
      const { values, others } = await watch(context);
      const updates = (all: readonly Json[]): Json[] =>
        all.filter((value) => member(value, 'statusUpdate') !== undefined || member(value, 'artifactUpdate') !== undefined);
      // The second began later: its Task may hold what the first saw as updates.
      const [first, second] = [updates(values), updates(others)];
      const common = Math.min(first.length, second.length);
      claim(common > 0, `one of them has no update (${first.length} and ${second.length})`);
      claim(
        sameJson(first.slice(-common), second.slice(-common)),
        'their last events differ',
        `${show(first.slice(-common))} and ${show(second.slice(-common))}`,
      );
    },
  },
  {
    id: 'subscribe.resumes',
    title: 'A stream can be resumed after the last event that was seen',
    requirement: 'MAY',
    section: '3.5.2',
    mend: 'Give each event an id, and begin after the one that Last-Event-ID names.',
    bindings: WEB,
    needs: NEEDS,
    run: resumes,
  },
];

interface Watched {
  readonly task: JsonObject;
  readonly values: readonly Json[];
  readonly end: string;
  readonly others: readonly Json[];
}

/** One working task under two subscriptions, watched to its end. */
const watch = (context: CheckContext): Promise<Watched> => context.scenes.once('watched', () => watchNew(context));

async function watchNew({ target, binding, scenes }: CheckContext): Promise<Watched> {
  const task = await scenes.working();
  const open = async (): ReturnType<typeof binding.open> => binding.open('SubscribeToTask', { id: idOf(task) });
  const [one, two] = [await open(), await open()];
  if (one.error ?? two.error) {
    one.close();
    two.close();
    fail('a subscription to a running task is refused', (one.error ?? two.error)?.raw);
  }
  const [first, second] = await Promise.all([collect(one, target.limits), collect(two, target.limits)]);
  const valuesOf = ({ frames }: typeof first): Json[] => frames.map(({ value }) => value);
  return { task, values: valuesOf(first), end: first.end, others: valuesOf(second) };
}

async function resumes({ target, binding, scenes }: CheckContext): Promise<void> {
  const task = await scenes.working();
  const stream = await binding.open('SubscribeToTask', { id: idOf(task) });
  if (stream.error) skip('see subscribe.first-event');
  const seen = await collect(stream, target.limits, (frames) => frames.length >= 2);
  const last = seen.frames.at(-1);
  if (last?.id === undefined) fail('events have no id');
  const again = await binding.open('SubscribeToTask', { id: idOf(task) }, { headers: { 'last-event-id': last.id } });
  if (again.error) fail('a subscription with Last-Event-ID is refused', again.error.raw);
  const { frames } = await collect(again, target.limits);
  const updates = frames.filter(({ value }) => !isObject(member(value, 'task')));
  const ids = updates.map(({ id }) => id);
  claim(!ids.includes(last.id), `the event ${last.id}, which was seen, comes again`);
  const ended = await scenes.until(idOf(task), isTerminal);
  const end = frames.map(({ value }) => stateOfFrame(value)).findLast((state) => state !== undefined);
  claim(
    end === at(ended, 'status', 'state'),
    `the resumed stream ends at ${end}, the task at ${show(at(ended, 'status', 'state'))}`,
  );
}
