import { randomUUID } from 'node:crypto';
import type { OperationName } from '../bindings/operations.js';
import { stateOf } from '../task-shape.js';
import { at, isObject, listOf, member, type Json, type JsonObject } from '../wire/json.js';
import { FakeError, notFound, type Faulty } from './faults.spec-support.js';
import { fakeList } from './lists.spec-support.js';
import { FakePush } from './push.spec-support.js';
import { isOver, newTask, shown, type FakeEvent, type FakeTask } from './tasks.spec-support.js';

export interface FakeCall {
  readonly binding: string;
  readonly params: JsonObject;
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Aborted when the client leaves. */
  readonly signal: AbortSignal;
}

export type FakeStream = AsyncIterable<FakeEvent>;

const EXTENSION = 'https://example.com/extensions/known/v1';

/** What the agent does, whatever the binding. Throws FakeError. */
export class FakeOperations {
  readonly tasks = new Map<string, FakeTask>();
  readonly #push: FakePush;
  readonly #subscribers = new Map<string, number>();

  constructor(
    private readonly faulty: Faulty,
    private readonly card: JsonObject,
  ) {
    this.#push = new FakePush(faulty);
  }

  async call(operation: OperationName, call: FakeCall): Promise<JsonObject> {
    const { params } = call;
    if (/no-such/.test(call.headers['a2a-extensions'] ?? '') && this.faulty('extensions.unknown'))
      throw new FakeError('ExtensionSupportRequiredError');
    switch (operation) {
      case 'SendMessage':
        return this.#send(call);
      case 'GetTask':
        return this.#get(call);
      case 'ListTasks':
        return fakeList(
          [...this.tasks.values()].map(({ task }) => task),
          params,
          this.faulty,
        );
      case 'CancelTask':
        return this.#cancel(params);
      case 'GetExtendedAgentCard':
        if (!this.#has('extendedAgentCard') && !this.faulty('capabilities.extended-card'))
          throw new FakeError('UnsupportedOperationError');
        return this.faulty('extended-card.is-card') ? { name: 'half a card' } : this.card;
      default:
        return this.#configs(operation, params);
    }
  }

  stream(operation: OperationName, call: FakeCall): FakeStream {
    if (!this.#has('streaming')) {
      if (this.faulty('capabilities.streaming')) throw notFound(this.faulty);
      throw new FakeError('UnsupportedOperationError');
    }
    return operation === 'SubscribeToTask' ? this.#subscribe(call) : this.#sendStreaming(call);
  }

  async #send(call: FakeCall): Promise<JsonObject> {
    const configuration = member(call.params, 'configuration');
    const accepted = this.#accept(call.params, call.headers);
    const { fake, given } = accepted;
    if (accepted.stays) return { task: structuredClone(fake.task) };
    const immediately = member(configuration, 'returnImmediately') === true && !this.faulty('send.returns-immediately');
    const push = member(configuration, 'taskPushNotificationConfig');
    if (isObject(push)) this.#push.follow(fake, push);
    void fake.run(given.text);
    if (!immediately) await fake.ended();
    const none = this.faulty('send.history-length');
    const task = shown(fake.task, member(configuration, 'historyLength'), { one: false, none });
    return { task: this.#doctored(task, given) };
  }

  #doctored(task: JsonObject, { contextId, taskId }: { contextId?: string; taskId?: string }): JsonObject {
    if (this.faulty('send.answers')) task['context_id'] = task['contextId'];
    if (this.faulty('send.blocks') && stateOf(task) === 'TASK_STATE_COMPLETED')
      task['status'] = { ...(task['status'] as JsonObject), state: 'TASK_STATE_WORKING' };
    if (this.faulty('send.context-id') && contextId === undefined) delete task['contextId'];
    if (this.faulty('send.new-task-ids') && contextId !== undefined)
      task['id'] = [...this.tasks.values()].find((one) => one.task['contextId'] === contextId)?.task['id'];
    if (this.faulty('multi-turn.continues') && taskId !== undefined) task['id'] = randomUUID();
    return task;
  }

  /** The task of a message, made or found, and what the message said. */
  #accept(params: JsonObject, headers: FakeCall['headers']): { fake: FakeTask; given: Given; stays?: true } {
    const given = validated(params, this.faulty);
    const { taskId } = given;
    if (taskId !== undefined) {
      const found = this.tasks.get(taskId);
      if (!found && this.faulty('errors.unknown-task.send')) throw new FakeError('InvalidParamsError');
      if (!found) throw notFound(this.faulty);
      const terminal = isOver(found) && !stateOf(found.task).endsWith('_REQUIRED');
      if (terminal && this.faulty('send.terminal-task')) return { fake: found, given, stays: true };
      if (terminal) throw new FakeError('UnsupportedOperationError');
      if (given.contextId !== undefined && given.contextId !== found.task['contextId']) {
        if (this.faulty('multi-turn.context-mismatch')) return { fake: found, given, stays: true };
        throw new FakeError('InvalidParamsError', 'another context', ['message.contextId']);
      }
      return { fake: found, given };
    }
    const requires = listOf(at(this.card, 'capabilities', 'extensions')).some((one) => member(one, 'required') === true);
    if (requires && !this.faulty('extensions.required') && headers['a2a-extensions'] !== EXTENSION)
      throw new FakeError('ExtensionSupportRequiredError');
    const known = [...this.tasks.values()].some(({ task }) => task['contextId'] === given.contextId);
    const contextId =
      given.contextId === undefined || (this.faulty('send.keeps-context-id') && !known) ? randomUUID() : given.contextId;
    const fake = newTask(given.message, contextId, this.faulty);
    this.tasks.set(String(fake.task['id']), fake);
    return { fake, given };
  }

  async *#sendStreaming({ params, headers, signal }: FakeCall): FakeStream {
    const { fake, given } = this.#accept(params, headers);
    if (this.faulty('stream.client-leaves')) signal.addEventListener('abort', () => (fake.stopped = true));
    const task = structuredClone(fake.task);
    const from = fake.events.length;
    void fake.run(given.text);
    yield* doctoredStream(this.#follow(fake, from, task), fake, this.faulty);
    if (this.faulty('stream.opens')) await aborted(signal);
  }

  async *#subscribe({ params, headers, signal }: FakeCall): FakeStream {
    const fake = this.#find(params, 'errors.unknown-task.subscribe');
    const after = headers['last-event-id'];
    if (
      after === undefined &&
      isOver(fake) &&
      !stateOf(fake.task).endsWith('_REQUIRED') &&
      !this.faulty('subscribe.terminal-task')
    )
      throw new FakeError('UnsupportedOperationError');
    const count = (this.#subscribers.get(String(params['id'])) ?? 0) + 1;
    this.#subscribers.set(String(params['id']), count);
    const from = after === undefined ? fake.events.length : Number(after);
    let first = true;
    for await (const event of this.#follow(fake, from, structuredClone(fake.task))) {
      const value = structuredClone(event.value);
      if (first && this.faulty('subscribe.first-event'))
        value['message'] = { messageId: 'm', role: 'ROLE_AGENT', parts: [{ text: 'hello' }] };
      if (first && this.faulty('subscribe.first-event')) delete value['task'];
      const message = at(value, 'statusUpdate', 'status', 'message');
      if (count === 2 && this.faulty('subscribe.same-events') && isObject(message)) message['parts'] = [{ text: 'another' }];
      first = false;
      yield { ...event, value };
    }
    if (this.faulty('subscribe.ends')) await aborted(signal);
  }

  /** The task as it is, then every event after number `from`, to the end of the turn. */
  async *#follow(fake: FakeTask, from: number, task: JsonObject): FakeStream {
    yield { sequence: from, value: { task } };
    for (let next = from; ;) {
      const event = fake.events[next];
      if (event) {
        next += 1;
        yield event;
      } else if (isOver(fake) && next > 0) return;
      else await new Promise((resolve) => fake.changed.once('event', resolve));
    }
  }

  #find(params: JsonObject, fault: string): FakeTask {
    const found = this.tasks.get(String(params['id']));
    if (found) return found;
    throw this.faulty(fault) ? new FakeError('InvalidParamsError') : notFound(this.faulty);
  }

  #get({ binding, params }: FakeCall): JsonObject {
    const { task } = this.#find(params, 'errors.unknown-task.get');
    const copy = shown(task, params['historyLength'], {
      one: this.faulty('task.history-length'),
      none: this.faulty('task.no-history'),
    });
    if (this.faulty('task.get')) copy['id'] = 'another';
    if (this.faulty('task.get-agrees')) copy['artifacts'] = [{ artifactId: 'answer', parts: [{ text: 'forgotten' }] }];
    if (this.faulty('bindings.same-task') && binding === 'HTTP+JSON') copy['metadata'] = { only: 'here' };
    return copy;
  }

  #cancel(params: JsonObject): JsonObject {
    const fake = this.#find(params, 'errors.unknown-task.cancel');
    const asks = stateOf(fake.task).endsWith('_REQUIRED');
    if (isOver(fake) && !asks) {
      if (this.faulty('cancel.terminal-task')) return fake.task;
      throw new FakeError('TaskNotCancelableError');
    }
    if (!this.faulty(asks ? 'cancel.asking-task' : 'cancel.running-task')) fake.status('CANCELED');
    return structuredClone(fake.task);
  }

  #configs(operation: OperationName, params: JsonObject): JsonObject {
    if (!this.#has('pushNotifications')) {
      if (this.faulty('capabilities.push')) throw notFound(this.faulty);
      throw new FakeError('PushNotificationNotSupportedError');
    }
    if (!this.tasks.has(String(params['taskId'])))
      throw this.faulty('errors.unknown-task.push') ? new FakeError('InvalidParamsError') : notFound(this.faulty);
    return this.#push.call(operation, params);
  }

  #has(capability: string): boolean {
    return at(this.card, 'capabilities', capability) === true;
  }
}

interface Given {
  readonly message: JsonObject;
  readonly text: string;
  readonly taskId?: string;
  readonly contextId?: string;
}

function validated(params: JsonObject, faulty: Faulty): Given {
  const refuse = (check: string, ...fields: string[]): void => {
    if (!faulty(check)) throw new FakeError('InvalidParamsError', `wrong: ${fields.join()}`, fields);
  };
  const message = member(params, 'message');
  if (!isObject(message)) {
    refuse('errors.missing-message', 'message');
    return { message: { messageId: 'none', role: 'ROLE_USER', parts: [{ text: '' }] }, text: '' };
  }
  const { messageId, role, parts } = message;
  if (messageId === undefined || messageId === '') refuse('errors.missing-message-id', 'message.messageId');
  if (role === undefined || role === 'ROLE_UNSPECIFIED') refuse('errors.missing-role', 'message.role');
  else if (role !== 'ROLE_USER') refuse('errors.bad-role', 'message.role');
  if (!Array.isArray(parts)) refuse('errors.wrong-type', 'message.parts');
  else if (parts.length === 0) refuse('errors.empty-parts', 'message.parts');
  const part: Json | undefined = listOf(parts)[0];
  if (part !== undefined && ['text', 'raw', 'url', 'data'].every((name) => member(part, name) === undefined))
    refuse('errors.empty-part', 'message.parts[0]');
  const mediaType = member(part, 'mediaType');
  if (mediaType && mediaType !== 'text/plain' && !faulty('send.content-type'))
    throw new FakeError('ContentTypeNotSupportedError');
  const named = (name: string): string | undefined => (message[name] ? String(message[name]) : undefined);
  return { message, text: String(member(part, 'text') ?? ''), taskId: named('taskId'), contextId: named('contextId') };
}

async function* doctoredStream(events: FakeStream, fake: FakeTask, faulty: Faulty): FakeStream {
  let chunks = 0;
  for await (const event of events) {
    const value = structuredClone(event.value);
    const status = member(value, 'statusUpdate');
    const update = member(value, 'artifactUpdate');
    const ends = at(status, 'status', 'state') === 'TASK_STATE_COMPLETED';
    if (isObject(update) && (chunks += 1) === 2 && faulty('stream.adds-up')) continue;
    if (isObject(update) && faulty('stream.one-task')) update['taskId'] = randomUUID();
    if (isObject(status) && faulty('stream.no-kind')) status['kind'] = 'status-update';
    if (isObject(status) && faulty('stream.proto')) delete status['contextId'];
    if ('task' in value && faulty('stream.first-event')) yield { sequence: 0, value: working(fake) };
    if (ends && faulty('stream.one-of')) value['task'] = structuredClone(fake.task);
    yield { ...event, value };
    if (ends && faulty('stream.last-event')) yield { ...event, value: whole(fake) };
  }
}

const working = ({ task: { id: taskId, contextId } }: FakeTask): JsonObject => ({
  statusUpdate: { taskId, contextId, status: { state: 'TASK_STATE_WORKING' } },
});

const whole = ({ task: { id: taskId, contextId, artifacts } }: FakeTask): JsonObject => ({
  artifactUpdate: { taskId, contextId, artifact: listOf(artifacts)[0] },
});

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => (signal.aborted ? resolve() : signal.addEventListener('abort', () => resolve())));
