import { collect } from '../bindings/binding.js';
import { ALL, WEB, claim, fail, skip, type Check, type CheckContext } from '../check.js';
import {
  artifactTexts,
  foldArtifacts,
  idOf,
  isInterrupted,
  isTerminal,
  stateOfFrame,
  TERMINAL,
  userMessage,
} from '../task-shape.js';
import { at, isObject, listOf, member, sameJson, show, type Json } from '../wire/json.js';
import { describeFaults, protoJsonFaults } from '../wire/protojson.js';

const MEMBERS = ['task', 'message', 'statusUpdate', 'artifactUpdate'];
const NEEDS: Check['needs'] = ['sideEffects', 'streaming'];

/** What SendStreamingMessage sends (sections 3.1.2, 3.2.3, 9.4.2, 11.7). */
export const STREAM_CHECKS: readonly Check[] = [
  {
    id: 'stream.opens',
    title: 'SendStreamingMessage opens a stream that ends by itself',
    requirement: 'MUST',
    section: '3.1.2',
    mend: 'Answer with text/event-stream (gRPC: a server stream), and close it when the task is terminal.',
    bindings: ALL,
    needs: NEEDS,
    run: async ({ target, binding }) => {
      const stream = await binding.open('SendStreamingMessage', { message: userMessage(target.options.message) });
      if (stream.error) fail('SendStreamingMessage is refused', stream.error.raw);
      const { frames, end, fault } = await collect(stream, target.limits);
      claim(
        end === 'closed',
        `the stream is ${end}${fault ? ` (${fault.message})` : ''} after ${frames.length} events`,
        show(frames.at(-1)?.value),
      );
      claim(frames.length > 0, 'the stream ends without an event');
    },
  },
  {
    id: 'stream.first-event',
    title: 'A stream begins with the Task, or is one Message',
    requirement: 'MUST',
    section: '3.1.2',
    mend: 'Send the Task before any update; a Message is the only event of its stream.',
    bindings: ALL,
    needs: NEEDS,
    run: async ({ scenes }) => {
      const values = await scenes.values();
      if (isObject(member(values[0], 'message')))
        return claim(values.length === 1, `a Message and ${values.length - 1} more events`);
      claim(isObject(member(values[0], 'task')), 'the first event is neither', show(values[0]));
    },
  },
  {
    id: 'stream.one-of',
    title: 'Each event is exactly one of task, message, statusUpdate, artifactUpdate',
    requirement: 'MUST',
    section: '3.2.3',
    mend: 'Wrap each event in a StreamResponse with one member.',
    bindings: ALL,
    needs: NEEDS,
    run: async ({ scenes }) => {
      for (const value of await scenes.values()) {
        const set = MEMBERS.filter((name) => member(value, name) !== undefined);
        claim(set.length === 1, `an event has ${set.length === 0 ? 'none of them' : set.join(' and ')}`, show(value));
      }
    },
  },
  {
    id: 'stream.no-kind',
    title: 'No event has the kind or final of 0.3',
    requirement: 'MUST',
    section: 'A.2.1',
    mend: 'Tell events apart by their member; leave out kind and final.',
    bindings: WEB,
    needs: NEEDS,
    run: async ({ scenes }) => {
      for (const value of await scenes.values())
        for (const one of [value, ...(isObject(value) ? Object.values(value) : [])])
          claim(member(one, 'kind') === undefined && member(one, 'final') === undefined, 'an event has kind or final', show(one));
    },
  },
  {
    id: 'stream.proto',
    title: 'Each event is as the proto has it',
    requirement: 'MUST',
    section: '5.5',
    mend: 'Write taskId, contextId and every other required field, in ProtoJSON.',
    bindings: ALL,
    needs: NEEDS,
    run: async ({ scenes }) => {
      for (const value of await scenes.values()) {
        if (MEMBERS.filter((name) => member(value, name) !== undefined).length !== 1) skip('see stream.one-of');
        const faults = protoJsonFaults('StreamResponse', value);
        claim(faults.length === 0, describeFaults(faults), show(value));
      }
    },
  },
  {
    id: 'stream.one-task',
    title: 'All events of a stream are of one task',
    requirement: 'MUST',
    section: '3.1.2',
    mend: "Give each update the id of the stream's task.",
    bindings: ALL,
    needs: NEEDS,
    run: async ({ scenes }) => {
      const ids = (await scenes.values()).map(
        (value) => at(value, 'task', 'id') ?? at(value, 'statusUpdate', 'taskId') ?? at(value, 'artifactUpdate', 'taskId'),
      );
      claim(new Set(ids).size <= 1, `the tasks are ${show([...new Set(ids)])}`);
    },
  },
  {
    id: 'stream.last-event',
    title: 'The last event carries the state that ends the stream, and none after it',
    requirement: 'MUST',
    section: '3.1.2',
    mend: 'Close the stream at the terminal (or interrupted) status, not before and not later.',
    bindings: ALL,
    needs: NEEDS,
    run: async ({ scenes }) => {
      const values = await scenes.values();
      if (isObject(member(values[0], 'message'))) skip('the stream is a Message');
      const states = values.map(stateOfFrame);
      const ended = states.findIndex((state) => state !== undefined && TERMINAL.includes(state));
      const last = states.at(-1) ?? 'no state';
      // A final snapshot may follow (section 11.7).
      const after = values.slice(ended + 1).filter((value) => member(value, 'task') === undefined);
      if (ended >= 0) return claim(after.length === 0, `${after.length} events follow ${states[ended]}`, show(after[0]));
      claim(/INPUT_REQUIRED|AUTH_REQUIRED/.test(last), `the stream ends at ${last}`, show(values.at(-1)));
    },
  },
  {
    id: 'stream.envelope',
    title: 'Each event is a JSON-RPC response to the request',
    requirement: 'MUST',
    section: '9.4.2',
    mend: 'Write each event as {"jsonrpc":"2.0","id":…,"result":…} with the id of the request.',
    bindings: ['JSONRPC'],
    needs: NEEDS,
    run: async ({ scenes }) => {
      const { frames } = await scenes.streamed();
      const ids = new Set(frames.map(({ envelope }) => member(envelope, 'id')));
      claim(ids.size <= 1 && typeof [...ids][0] === 'number', `the ids are ${show([...ids])}`);
      claim(
        frames.every(({ envelope }) => member(envelope, 'jsonrpc') === '2.0'),
        'an event is no JSON-RPC 2.0 response',
        show(frames[0]?.envelope),
      );
    },
  },
  {
    id: 'stream.appends',
    title: 'An artifact is not appended to before it is there',
    requirement: 'MUST',
    section: '4.2.2',
    mend: 'Send the first update of an artifact without append.',
    bindings: ALL,
    needs: NEEDS,
    run: async ({ scenes }) => {
      const known = new Set<Json | undefined>();
      for (const value of await scenes.values()) {
        for (const artifact of listOf(at(value, 'task', 'artifacts'))) known.add(member(artifact, 'artifactId'));
        const id = at(value, 'artifactUpdate', 'artifact', 'artifactId');
        if (id === undefined) continue;
        claim(
          at(value, 'artifactUpdate', 'append') !== true || known.has(id),
          `${show(id)} is appended to and not there`,
          show(value),
        );
        known.add(id);
      }
    },
  },
  {
    id: 'stream.adds-up',
    title: 'The events add up to the task that GetTask shows',
    requirement: 'MUST',
    section: '3.5.2',
    mend: 'Store what is streamed: an update without append replaces the artifact, one with append adds to it.',
    bindings: ALL,
    needs: NEEDS,
    run: async ({ scenes }) => {
      const values = await scenes.values();
      const id = at(values[0], 'task', 'id') ?? skip('the stream is not of a task');
      const task = await scenes.getTask(String(id));
      const [streamed, stored] = [artifactTexts(foldArtifacts(values)), artifactTexts(listOf(task['artifacts']))];
      claim(sameJson(streamed, stored), 'the artifacts differ', `streamed ${show(streamed)}, stored ${show(stored)}`);
      const last = values.map(stateOfFrame).findLast((state) => state !== undefined);
      claim(at(task, 'status', 'state') === last, `the stream ends at ${last}, the task is ${show(at(task, 'status', 'state'))}`);
    },
  },
  {
    id: 'stream.client-leaves',
    title: 'A client that leaves its stream does not stop the task',
    requirement: 'MUST',
    section: '3.5.2',
    mend: 'A closed connection ends the stream only.',
    bindings: ALL,
    needs: ['sideEffects', 'streaming'],
    run: leaves,
  },
];

async function leaves({ target, binding, scenes }: CheckContext): Promise<void> {
  const stream = await binding.open('SendStreamingMessage', { message: userMessage(target.options.message) });
  if (stream.error) skip('see stream.opens');
  const { frames } = await collect(stream, target.limits, () => true);
  const task = member(frames[0]?.value, 'task');
  if (!isObject(task)) skip('the stream is not of a task');
  const found = await scenes.until(idOf(task), (one) => isTerminal(one) || isInterrupted(one));
  const ended = String(at(found, 'status', 'state'));
  const whole = (await scenes.values()).map(stateOfFrame).findLast((state) => state !== undefined);
  claim(ended === whole, `left alone it ends as ${ended}, watched as ${whole}`);
}
