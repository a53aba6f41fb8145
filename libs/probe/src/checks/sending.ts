import { randomUUID } from 'node:crypto';
import { ALL, claim, fail, skip, valueOf, type Check } from '../check.js';
import { expectError } from '../expect-error.js';
import { idOf, isInterrupted, isTerminal, stateOf, taskOf, userMessage } from '../task-shape.js';
import { isObject, listOf, member, show } from '../wire/json.js';
import { describeFaults, protoJsonFaults } from '../wire/protojson.js';

/** SendMessage and what it begins (sections 3.1.1, 3.2.2, 3.4). */
export const SENDING_CHECKS: readonly Check[] = [
  {
    id: 'send.answers',
    title: 'SendMessage answers with a Task or a Message as the proto has it',
    requirement: 'MUST',
    section: '3.1.1',
    mend: 'Answer {"task":…} or {"message":…}, with every required field, ProtoJSON names and UTC timestamps.',
    bindings: ALL,
    needs: ['sideEffects'],
    run: async ({ target, binding }) => {
      const reply = await binding.call('SendMessage', { message: userMessage(target.options.message) });
      const value = valueOf(reply, 'SendMessage');
      const faults = protoJsonFaults('SendMessageResponse', value);
      claim(faults.length === 0, describeFaults(faults), show(value));
    },
  },
  {
    id: 'send.blocks',
    title: 'A send waits for the end of the turn unless told otherwise',
    requirement: 'MUST',
    section: '3.2.2',
    mend: 'Answer when the task is terminal or interrupted; returnImmediately is false unless it is said.',
    bindings: ALL,
    needs: ['sideEffects'],
    run: async ({ scenes }) => {
      const task = await scenes.task();
      claim(isTerminal(task) || isInterrupted(task), `the task is answered as ${stateOf(task)}`, show(task));
    },
  },
  {
    id: 'send.returns-immediately',
    title: 'returnImmediately answers before the task ends',
    requirement: 'MUST',
    section: '3.2.2',
    mend: 'With returnImmediately, answer as soon as the task is made.',
    bindings: ALL,
    needs: ['sideEffects', 'messageThatWorks'],
    run: async ({ target, binding, scenes }) => {
      const message = userMessage(target.options.messageThatWorks ?? '');
      const task = taskOf(await scenes.send({ message, configuration: { returnImmediately: true } })) ?? skip('no task is made');
      claim(
        !isTerminal(task),
        `the task is already ${stateOf(task)}: it was waited for, or --message-that-works takes no time`,
        show(task),
      );
      await binding.call('CancelTask', { id: idOf(task) });
    },
  },
  {
    id: 'send.new-task-ids',
    title: 'Each new task has an id of its own',
    requirement: 'MUST',
    section: '3.4.2',
    mend: 'Generate a unique id for each task.',
    bindings: ALL,
    needs: ['sideEffects'],
    run: async ({ scenes }) => {
      const { tasks } = await scenes.listed();
      const ids = tasks.map(idOf);
      claim(new Set(ids).size === ids.length && !ids.includes(''), `the ids are ${show(ids)}`);
    },
  },
  {
    id: 'send.context-id',
    title: 'A new task tells its contextId',
    requirement: 'MUST',
    section: '3.4.1',
    mend: 'Put the contextId that was generated into the Task.',
    bindings: ALL,
    needs: ['sideEffects'],
    run: async ({ scenes }) => {
      const task = await scenes.task();
      claim(
        typeof task['contextId'] === 'string' && task['contextId'] !== '',
        `contextId is ${show(task['contextId'])}`,
        show(task),
      );
    },
  },
  {
    id: 'send.keeps-context-id',
    title: "A client's contextId is kept or refused, never replaced",
    requirement: 'MUST',
    section: '3.4.1',
    mend: 'Use the contextId that the client gave, or answer with an error.',
    bindings: ALL,
    needs: ['sideEffects'],
    run: async ({ target, binding }) => {
      const contextId = randomUUID();
      const { value, error } = await binding.call('SendMessage', { message: userMessage(target.options.message, { contextId }) });
      if (error) return;
      const told = Object.values(value ?? {}).find(isObject)?.['contextId'];
      claim(told === contextId, `the contextId ${contextId} became ${show(told)}`);
    },
  },
  {
    id: 'send.history-length',
    title: 'A send with historyLength 0 is answered without history',
    requirement: 'SHOULD',
    section: '3.2.4',
    mend: 'Leave the field history out when historyLength is 0.',
    bindings: ALL,
    needs: ['sideEffects'],
    run: async ({ target, scenes }) => {
      const message = userMessage(target.options.message);
      const task = taskOf(await scenes.send({ message, configuration: { historyLength: 0 } })) ?? skip('no task is made');
      claim(!('history' in task), 'there is a history', show(task['history']));
    },
  },
  {
    id: 'send.terminal-task',
    title: 'A message to a finished task is UnsupportedOperationError',
    requirement: 'MUST',
    section: '3.1.1',
    mend: 'Refuse messages to tasks in a terminal state.',
    bindings: ALL,
    needs: ['sideEffects'],
    run: async ({ binding, scenes }) => {
      const taskId = idOf(await scenes.terminalTask());
      const reply = await binding.call('SendMessage', { message: userMessage('one more thing', { taskId }) });
      expectError(reply, 'UnsupportedOperationError', binding.name);
    },
  },
  {
    id: 'send.content-type',
    title: 'A part of a media type that the agent does not take is ContentTypeNotSupportedError',
    requirement: 'SHOULD',
    section: '3.1.1',
    mend: 'Compare the media types of parts with the input modes of the card.',
    bindings: ALL,
    needs: ['sideEffects'],
    run: async ({ target, binding }) => {
      const mediaType = 'application/x-no-such-type';
      const wild = listOf(target.card['defaultInputModes']).some((mode) => /^(\*|application)\/\*/.test(String(mode)));
      if (wild) skip('the agent takes any type');
      const message = { ...userMessage(''), parts: [{ raw: 'aGVsbG8=', mediaType }] };
      expectError(await binding.call('SendMessage', { message }), 'ContentTypeNotSupportedError', binding.name);
    },
  },
  {
    id: 'multi-turn.asks',
    title: 'A task that asks is INPUT_REQUIRED and says what for',
    requirement: 'MUST',
    section: '3.4.3',
    mend: 'End the turn with TASK_STATE_INPUT_REQUIRED and a status message.',
    bindings: ALL,
    needs: ['sideEffects', 'messageThatAsks'],
    run: async ({ target, scenes }) => {
      const task = taskOf(await scenes.send({ message: userMessage(target.options.messageThatAsks ?? '') }));
      claim(
        task !== undefined && isInterrupted(task),
        `the answer to --message-that-asks is ${task ? stateOf(task) : 'a Message'}`,
      );
      claim(isObject(member(task['status'], 'message')), 'the status has no message', show(task));
    },
  },
  {
    id: 'multi-turn.context-mismatch',
    title: 'A message with the context of another task is refused',
    requirement: 'MUST',
    section: '3.4.3',
    mend: 'Compare contextId with that of the task.',
    bindings: ALL,
    needs: ['sideEffects', 'messageThatAsks'],
    run: async ({ binding, scenes }) => {
      const taskId = idOf(await scenes.asked());
      const { value } = await binding.call('SendMessage', {
        message: userMessage('an answer', { taskId, contextId: randomUUID() }),
      });
      if (value) fail('it is accepted', show(value));
    },
  },
  {
    id: 'multi-turn.continues',
    title: 'An answer goes on with the same task, its context inferred',
    requirement: 'MUST',
    section: '3.4.3',
    mend: 'A message with a taskId continues that task, with or without its contextId.',
    bindings: ALL,
    needs: ['sideEffects', 'messageThatAsks'],
    run: async ({ target, binding, scenes }) => {
      const asked = await scenes.asked();
      const reply = await binding.call('SendMessage', { message: userMessage(target.options.answer, { taskId: idOf(asked) }) });
      const task = taskOf(valueOf(reply, 'the answer to INPUT_REQUIRED')) ?? fail('it is answered with a Message');
      claim(idOf(task) === idOf(asked), `the task is ${idOf(task)}, not ${idOf(asked)}`);
      claim(
        task['contextId'] === asked['contextId'],
        `the contextId is ${show(task['contextId'])}, not ${show(asked['contextId'])}`,
      );
    },
  },
];
