import { randomUUID } from 'node:crypto';
import { ALL, claim, fail, skip, valueOf, type Check } from '../check.js';
import { expectError, isError } from '../expect-error.js';
import { hasCapability } from '../target.js';
import { userMessage } from '../task-shape.js';
import { at, isObject, listOf, member, show } from '../wire/json.js';
import { describeFaults, protoJsonFaults } from '../wire/protojson.js';

/** What is not declared is refused (section 3.3.4), and what is declared is there. */
export const CAPABILITY_CHECKS: readonly Check[] = [
  {
    id: 'capabilities.streaming',
    title: 'Streaming that is not declared is UnsupportedOperationError',
    requirement: 'MUST',
    section: '3.3.4',
    mend: 'Refuse SubscribeToTask and SendStreamingMessage, or declare capabilities.streaming.',
    bindings: ALL,
    run: async ({ target, binding }) => {
      if (hasCapability(target, 'streaming')) skip('streaming is declared');
      const stream = await binding.open('SubscribeToTask', { id: randomUUID() });
      stream.close();
      expectError(stream, 'UnsupportedOperationError', binding.name);
    },
  },
  {
    id: 'capabilities.push',
    title: 'Push notifications that are not declared are PushNotificationNotSupportedError',
    requirement: 'MUST',
    section: '3.3.4',
    mend: 'Refuse the four operations on push configurations, or declare capabilities.pushNotifications.',
    bindings: ALL,
    run: async ({ target, binding }) => {
      if (hasCapability(target, 'pushNotifications')) skip('push notifications are declared');
      const [taskId, id] = [randomUUID(), randomUUID()];
      const refused = [
        await binding.call('ListTaskPushNotificationConfigs', { taskId }),
        await binding.call('GetTaskPushNotificationConfig', { taskId, id }),
        await binding.call('DeleteTaskPushNotificationConfig', { taskId, id }),
        await binding.call('CreateTaskPushNotificationConfig', { taskId, url: 'https://example.com/' }),
      ];
      for (const reply of refused) expectError(reply, 'PushNotificationNotSupportedError', binding.name);
    },
  },
  {
    id: 'capabilities.extended-card',
    title: 'An extended card that is not declared is UnsupportedOperationError',
    requirement: 'MUST',
    section: '3.3.4',
    mend: 'Refuse GetExtendedAgentCard, or declare capabilities.extendedAgentCard.',
    bindings: ALL,
    run: async ({ target, binding }) => {
      if (hasCapability(target, 'extendedAgentCard')) skip('an extended card is declared');
      expectError(await binding.call('GetExtendedAgentCard', {}), 'UnsupportedOperationError', binding.name);
    },
  },
  {
    id: 'extended-card.needs-credentials',
    title: 'The extended card is not given to a stranger',
    requirement: 'MUST',
    section: '13.3',
    mend: 'Authenticate GetExtendedAgentCard.',
    bindings: ALL,
    run: async ({ target, binding }) => {
      if (!hasCapability(target, 'extendedAgentCard')) skip('no extended card is declared');
      const { value } = await binding.call('GetExtendedAgentCard', {}, { withoutCredentials: true });
      claim(value === undefined, 'it is answered without credentials', show(value));
    },
  },
  {
    id: 'extended-card.is-card',
    title: 'The extended card is a card',
    requirement: 'MUST',
    section: '3.1.11',
    mend: 'Answer a whole AgentCard, or ExtendedAgentCardNotConfiguredError.',
    bindings: ALL,
    needs: ['credentials'],
    run: async ({ target, binding }) => {
      if (!hasCapability(target, 'extendedAgentCard')) skip('no extended card is declared');
      const reply = await binding.call('GetExtendedAgentCard', {});
      if (reply.error && isError(reply.error, 'ExtendedAgentCardNotConfiguredError', binding.name)) return;
      const card = valueOf(reply, 'GetExtendedAgentCard');
      const faults = protoJsonFaults('AgentCard', card);
      claim(faults.length === 0, describeFaults(faults), show(card));
    },
  },
  {
    id: 'auth.required',
    title: 'A request without credentials is refused where the card requires them',
    requirement: 'MUST',
    section: '7.4',
    mend: 'Authenticate every request as securityRequirements says; answer 401, or UNAUTHENTICATED.',
    bindings: ALL,
    run: async ({ target, binding }) => {
      if (!requiresCredentials(target.card)) skip('the card requires no credentials');
      const { error, value } = await binding.call('GetTask', { id: randomUUID() }, { withoutCredentials: true });
      if (value) fail('it succeeds', show(value));
      claim(
        error !== undefined && !isError(error, 'TaskNotFoundError', binding.name),
        'it is looked up all the same',
        error?.raw,
      );
    },
  },
  {
    id: 'auth.challenge',
    title: 'A refusal for want of credentials says which are wanted',
    requirement: 'SHOULD',
    section: '7.4',
    mend: 'Answer 401 with WWW-Authenticate.',
    bindings: ['JSONRPC', 'HTTP+JSON'],
    run: async ({ target, binding }) => {
      if (!requiresCredentials(target.card)) skip('the card requires no credentials');
      const { headers, httpStatus } = await binding.call('GetTask', { id: randomUUID() }, { withoutCredentials: true });
      claim(
        httpStatus === 401 && headers['www-authenticate'] !== undefined,
        `it is answered with ${httpStatus}, WWW-Authenticate is ${headers['www-authenticate'] ?? 'absent'}`,
      );
    },
  },
  {
    id: 'extensions.required',
    title: 'A required extension that the client does not name is ExtensionSupportRequiredError',
    requirement: 'MUST',
    section: '3.3.4',
    mend: 'Compare A2A-Extensions with the extensions that the card says are required.',
    bindings: ALL,
    run: async ({ target, binding }) => {
      if (!extensionsOf(target.card).some((one) => member(one, 'required') === true)) skip('no extension is required');
      const reply = await binding.call('SendMessage', { message: userMessage('a message without the extension') });
      expectError(reply, 'ExtensionSupportRequiredError', binding.name);
    },
  },
  {
    id: 'extensions.unknown',
    title: 'An extension that the agent does not know is ignored',
    requirement: 'SHOULD',
    section: '4.6.3',
    mend: 'Leave out of A2A-Extensions what is not supported, and go on.',
    bindings: ALL,
    run: async ({ binding }) => {
      const headers = { 'a2a-extensions': 'https://example.com/extensions/no-such/v1' };
      expectError(await binding.call('GetTask', { id: randomUUID() }, { headers }), 'TaskNotFoundError', binding.name);
    },
  },
  {
    id: 'extensions.declared',
    title: 'Extensions that messages and artifacts name are declared in the card',
    requirement: 'SHOULD',
    section: '4.6.1',
    mend: 'Declare in capabilities.extensions what the agent uses.',
    bindings: ALL,
    needs: ['sideEffects'],
    run: async ({ target, scenes }) => {
      const declared = extensionsOf(target.card).map((one) => member(one, 'uri'));
      const wild = [...emitted(await scenes.sent())].filter((uri) => !declared.includes(uri));
      claim(wild.length === 0, `not declared: ${wild.join(', ')}`);
    },
  },
];

const extensionsOf = (card: unknown): unknown[] => listOf(at(card, 'capabilities', 'extensions'));

/** A requirement without schemes allows everyone. */
const requiresCredentials = (card: unknown): boolean => {
  const requirements = listOf(member(card, 'securityRequirements'));
  return requirements.length > 0 && requirements.every((one) => Object.keys(at(one, 'schemes') ?? {}).length > 0);
};

/** Every `extensions` of a message or an artifact, wherever it is. */
function emitted(value: unknown, found = new Set<string>()): Set<string> {
  if (Array.isArray(value)) for (const item of value) emitted(item, found);
  if (isObject(value)) {
    for (const uri of listOf(value['extensions'])) if (typeof uri === 'string') found.add(uri);
    for (const [key, item] of Object.entries(value)) if (key !== 'metadata' && key !== 'data') emitted(item, found);
  }
  return found;
}
