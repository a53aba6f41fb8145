import { randomUUID } from 'node:crypto';
import type { AgentError, Binding } from '../bindings/binding.js';
import type { OperationName } from '../bindings/operations.js';
import { ALL, WEB, claim, fail, skip, type Check, type CheckContext } from '../check.js';
import { errorInfoOf, expectError, isType, reasonOf } from '../expect-error.js';
import { userMessage } from '../task-shape.js';
import { listOf, member, show, type Json, type JsonObject } from '../wire/json.js';

/** Requests that must be refused (sections 3.3.2 and 5.4). */
export const REFUSAL_CHECKS: readonly Check[] = [
  unknownTask('GetTask', 'get', '3.1.3'),
  unknownTask('CancelTask', 'cancel', '3.1.5'),
  {
    ...unknownTask('SubscribeToTask', 'subscribe', '3.1.6'),
    needs: ['streaming'],
    run: async ({ binding }) => {
      const stream = await binding.open('SubscribeToTask', { id: randomUUID() });
      stream.close();
      expectError(stream, 'TaskNotFoundError', binding.name);
    },
  },
  {
    ...unknownTask('SendMessage', 'send', '3.4.2'),
    run: async ({ binding }) => {
      const params = { message: userMessage('a message to nowhere', { taskId: randomUUID() }) };
      expectError(await binding.call('SendMessage', params), 'TaskNotFoundError', binding.name);
    },
  },
  {
    ...unknownTask('ListTaskPushNotificationConfigs', 'push', '3.1.9'),
    needs: ['pushNotifications'],
    run: async ({ binding }) => {
      const reply = await binding.call('ListTaskPushNotificationConfigs', { taskId: randomUUID() });
      expectError(reply, 'TaskNotFoundError', binding.name);
    },
  },
  refused('errors.missing-message', 'SendMessage without a message is refused', () => ({})),
  refused('errors.missing-message-id', 'A message without messageId is refused', () => without('messageId')),
  refused('errors.missing-role', 'A message without a role is refused', () => without('role')),
  refused('errors.empty-parts', 'A message without parts is refused', () => ({ message: { ...userMessage(''), parts: [] } })),
  refused('errors.empty-part', 'A part without content is refused', () => ({ message: { ...userMessage(''), parts: [{}] } })),
  {
    ...refused('errors.wrong-type', 'A field of another type is refused', () => ({
      message: { ...userMessage(''), parts: 'text' },
    })),
    bindings: WEB,
  },
  {
    ...refused('errors.bad-role', 'A role that does not exist is refused', () => ({
      message: userMessage('', { role: 'ROLE_NOBODY' }),
    })),
    bindings: WEB,
  },
  {
    id: 'errors.field-violations',
    title: 'A refusal names the field that is wrong',
    requirement: 'SHOULD',
    section: '3.3.2',
    mend: 'Add a google.rpc.BadRequest detail with fieldViolations.',
    bindings: ALL,
    run: async ({ binding }) => {
      const { details, raw } = await refusal(binding, { message: { ...userMessage(''), parts: [] } });
      const violations = details
        .filter((one) => isType(one, 'BadRequest'))
        .flatMap((one) => listOf(member(one, 'fieldViolations')));
      claim(
        violations.some((one) => typeof member(one, 'field') === 'string'),
        'no google.rpc.BadRequest with fieldViolations',
        raw,
      );
    },
  },
  {
    id: 'errors.error-info',
    title: 'An A2A error has an ErrorInfo with its reason and domain',
    requirement: 'MUST',
    section: '11.6, 10.6',
    mend: 'Add google.rpc.ErrorInfo with the reason TASK_NOT_FOUND and the domain a2a-protocol.org.',
    bindings: ['HTTP+JSON', 'GRPC'],
    run: hasErrorInfo,
  },
  {
    id: 'errors.rpc-error-info',
    title: 'An A2A error over JSON-RPC has an ErrorInfo with its reason and domain',
    requirement: 'SHOULD',
    section: '9.5',
    mend: 'Put google.rpc.ErrorInfo into error.data, an array.',
    bindings: ['JSONRPC'],
    run: hasErrorInfo,
  },
  {
    id: 'errors.detail-types',
    title: 'Each error detail names its type',
    requirement: 'MUST',
    section: '3.3.2',
    mend: 'Give each object in error.data or error.details its @type.',
    bindings: WEB,
    run: async ({ binding }) => {
      const { details, raw } = await nothingThere(binding);
      claim(
        details.every((one) => typeof member(one, '@type') === 'string'),
        'a detail without @type',
        raw,
      );
    },
  },
  {
    id: 'errors.message',
    title: 'An error says in words what is wrong',
    requirement: 'MUST',
    section: '3.3.2',
    mend: 'Fill the message of the error.',
    bindings: ALL,
    run: async ({ binding }) => {
      const { message, raw } = await nothingThere(binding);
      claim(message.trim() !== '', 'the message is empty', raw);
    },
  },
];

function unknownTask(operation: OperationName, name: string, section: string): Check {
  return {
    id: `errors.unknown-task.${name}`,
    title: `${operation} with an unknown task is TaskNotFoundError`,
    requirement: 'MUST',
    section,
    mend: 'Answer TaskNotFoundError for what is not there or not to be seen, before anything else.',
    bindings: ALL,
    run: async ({ binding }) =>
      void expectError(await binding.call(operation, { id: randomUUID() }), 'TaskNotFoundError', binding.name),
  };
}

function refused(id: string, title: string, params: () => JsonObject): Check {
  return {
    id,
    title,
    requirement: 'MUST',
    section: '3.3.2',
    mend: 'Validate a request before it is acted on, and answer InvalidParams (-32602, 400, INVALID_ARGUMENT).',
    bindings: ALL,
    run: async ({ binding }) => void expectError(await binding.call('SendMessage', params()), 'InvalidParamsError', binding.name),
  };
}

function without(field: string): JsonObject {
  const { [field]: _, ...message } = userMessage('a message that lacks something');
  return { message };
}

async function refusal(binding: Binding, params: JsonObject): Promise<AgentError> {
  const { error } = await binding.call('SendMessage', params);
  return error ?? skip('it is not refused, see errors.empty-parts');
}

async function nothingThere(binding: Binding): Promise<AgentError> {
  const { error } = await binding.call('GetTask', { id: randomUUID() });
  return error ?? fail('a task that does not exist is found');
}

async function hasErrorInfo({ binding }: CheckContext): Promise<void> {
  const error = await nothingThere(binding);
  const info: Json | undefined = errorInfoOf(error.details);
  claim(info !== undefined, 'no google.rpc.ErrorInfo', error.raw);
  claim(reasonOf(error) === 'TASK_NOT_FOUND', `the reason is ${show(member(info, 'reason'))}`, error.raw);
  claim(member(info, 'domain') === 'a2a-protocol.org', `the domain is ${show(member(info, 'domain'))}`, error.raw);
}
