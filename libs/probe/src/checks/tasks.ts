import { ALL, claim, valueOf, type Check } from '../check.js';
import { expectError } from '../expect-error.js';
import { artifactTexts, idOf, isTerminal, stateOf, userMessage } from '../task-shape.js';
import { listOf, member, sameJson, show } from '../wire/json.js';
import { describeFaults, protoJsonFaults } from '../wire/protojson.js';

/** GetTask and CancelTask (sections 3.1.3, 3.1.5, 3.2.4). */
export const TASK_CHECKS: readonly Check[] = [
  {
    id: 'task.get',
    title: 'GetTask answers with the task as the proto has it',
    requirement: 'MUST',
    section: '3.1.3',
    mend: 'Answer the Task itself, with its id and every required field.',
    bindings: ALL,
    needs: ['sideEffects'],
    run: async ({ binding, scenes }) => {
      const id = idOf(await scenes.task());
      const task = valueOf(await binding.call('GetTask', { id }), 'GetTask');
      const faults = protoJsonFaults('Task', task);
      claim(faults.length === 0, describeFaults(faults), show(task));
      claim(idOf(task) === id, `the id is ${idOf(task)}, not ${id}`);
    },
  },
  {
    id: 'task.get-agrees',
    title: 'GetTask shows what the send answered',
    requirement: 'MUST',
    section: '3.1.3',
    mend: 'Store a task before it is answered.',
    bindings: ALL,
    needs: ['sideEffects'],
    run: async ({ scenes }) => {
      const sent = await scenes.terminalTask();
      const task = await scenes.getTask(idOf(sent));
      claim(stateOf(task) === stateOf(sent), `the state is ${stateOf(task)}, and was answered as ${stateOf(sent)}`);
      const [shown, answered] = [artifactTexts(listOf(task['artifacts'])), artifactTexts(listOf(sent['artifacts']))];
      claim(sameJson(shown, answered), 'the artifacts are others', show(shown));
    },
  },
  {
    id: 'task.history-length',
    title: 'historyLength 1 gives at most the newest message',
    requirement: 'MUST',
    section: '3.2.4',
    mend: 'Return at most historyLength messages, the most recent ones.',
    bindings: ALL,
    needs: ['sideEffects'],
    run: async ({ scenes }) => {
      const id = idOf(await scenes.task());
      const whole = listOf((await scenes.getTask(id))['history']);
      const history = listOf((await scenes.getTask(id, { historyLength: 1 }))['history']);
      claim(history.length <= 1, `there are ${history.length}`, show(history));
      const newest = member(whole.at(-1), 'messageId');
      claim(history.length === 0 || member(history[0], 'messageId') === newest, 'it is not the newest', show(history));
    },
  },
  {
    id: 'task.no-history',
    title: 'historyLength 0 leaves the history out',
    requirement: 'SHOULD',
    section: '3.2.4',
    mend: 'Leave the field history out when historyLength is 0.',
    bindings: ALL,
    needs: ['sideEffects'],
    run: async ({ scenes }) => {
      const task = await scenes.getTask(idOf(await scenes.task()), { historyLength: 0 });
      claim(!('history' in task), 'there is a history', show(task['history']));
    },
  },
  {
    id: 'task.timestamp',
    title: 'A status says when, in UTC',
    requirement: 'SHOULD',
    section: '5.6.1',
    mend: 'Give each status a timestamp like 2026-01-31T10:30:00.000Z.',
    bindings: ALL,
    needs: ['sideEffects'],
    run: async ({ scenes }) => {
      const status = (await scenes.task())['status'];
      claim(typeof member(status, 'timestamp') === 'string', 'the status has no timestamp', show(status));
    },
  },
  {
    id: 'cancel.terminal-task',
    title: 'Canceling a finished task is TaskNotCancelableError',
    requirement: 'MUST',
    section: '3.1.5',
    mend: 'Refuse to cancel what is completed, failed or rejected.',
    bindings: ALL,
    needs: ['sideEffects'],
    run: async ({ binding, scenes }) => {
      const reply = await binding.call('CancelTask', { id: idOf(await scenes.terminalTask()) });
      expectError(reply, 'TaskNotCancelableError', binding.name);
    },
  },
  {
    id: 'cancel.running-task',
    title: 'A running task can be canceled, and stays so',
    requirement: 'SHOULD',
    section: '3.1.5',
    mend: 'Abort the execution, record TASK_STATE_CANCELED, and answer with the task.',
    bindings: ALL,
    needs: ['sideEffects', 'messageThatWorks'],
    run: async ({ binding, scenes }) => {
      const id = idOf(await scenes.working());
      const canceled = valueOf(await binding.call('CancelTask', { id, metadata: { reason: 'probe' } }), 'CancelTask');
      claim(idOf(canceled) === id, `the answer is another task: ${show(canceled)}`);
      const task = await scenes.until(id, isTerminal);
      claim(stateOf(task) === 'TASK_STATE_CANCELED', `the task ends as ${stateOf(task)}`);
    },
  },
  {
    id: 'cancel.asking-task',
    title: 'A task that waits for input can be canceled',
    requirement: 'SHOULD',
    section: '3.1.5',
    mend: 'Cancel interrupted tasks too.',
    bindings: ALL,
    needs: ['sideEffects', 'messageThatAsks'],
    run: async ({ target, binding, scenes }) => {
      const response = await scenes.send({ message: userMessage(target.options.messageThatAsks ?? '') });
      const canceled = valueOf(await binding.call('CancelTask', { id: idOf(response['task']) }), 'CancelTask');
      claim(stateOf(canceled) === 'TASK_STATE_CANCELED', `the task is ${stateOf(canceled)}`);
    },
  },
];
