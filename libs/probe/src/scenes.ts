import { collect, type Binding, type Collected } from './bindings/binding.js';
import { CheckSkipped, skip } from './check.js';
import type { Target } from './target.js';
import { idOf, isInterrupted, isTerminal, stateOf, taskOf, userMessage } from './task-shape.js';
import { member, type Json, type JsonObject } from './wire/json.js';

/** How long a task is waited for after it was made, in requests. */
const MOST_POLLS = 100;
const POLL_MS = 50;

/**
 * What several checks of one interface look at. Each scene is played once. A scene that does not come about skips the checks that
 * need it, since the check that it belongs to fails with the reason.
 */
export class Scenes {
  readonly #played = new Map<string, Promise<unknown>>();

  constructor(
    private readonly target: Target,
    private readonly binding: Binding,
  ) {}

  /** The answer to a blocking send. */
  sent(): Promise<JsonObject> {
    return this.#play('sent', 'send.answers', () => this.send({ message: userMessage(this.target.options.message) }));
  }

  /** The task of `sent`. */
  async task(): Promise<JsonObject> {
    const task = taskOf(await this.sent());
    return task ?? skip('the agent answers with a Message and makes no task');
  }

  async terminalTask(): Promise<JsonObject> {
    const task = await this.task();
    return isTerminal(task) ? task : skip(`the task is ${stateOf(task)}, not terminal: choose another --message`);
  }

  /** All frames of a streamed send. */
  streamed(): Promise<Collected> {
    return this.#play('streamed', 'stream.opens', () => this.stream({ message: userMessage(this.target.options.message) }));
  }

  /** The values of `streamed`; skips when the stream did not come to an end. */
  async values(): Promise<Json[]> {
    const { frames, fault } = await this.streamed();
    if (fault && frames.length === 0) skip('the stream has no frames, see stream.opens');
    return frames.map(({ value }) => value);
  }

  /** A task that waits for input. */
  asked(): Promise<JsonObject> {
    const { messageThatAsks = '' } = this.target.options;
    return this.#play('asked', 'multi-turn.asks', async () => {
      const task = taskOf(await this.send({ message: userMessage(messageThatAsks) }));
      if (!task || !isInterrupted(task)) throw new Error(`the task is ${task ? stateOf(task) : 'none'}`);
      return task;
    });
  }

  /** Three finished tasks of one context, the oldest first. */
  listed(): Promise<{ contextId: string; tasks: JsonObject[] }> {
    return this.#play('listed', 'send.answers', async () => {
      const first = await this.#finished({});
      const contextId = String(member(first, 'contextId') ?? '');
      const tasks = [first, await this.#finished({ contextId }), await this.#finished({ contextId })];
      if (tasks.some((task) => member(task, 'contextId') !== contextId)) skip('the agent does not keep contexts together');
      return { contextId, tasks };
    });
  }

  /** A new task that the agent works on for some seconds. */
  async working(): Promise<JsonObject> {
    const { messageThatWorks = '' } = this.target.options;
    const response = await this.send({ message: userMessage(messageThatWorks), configuration: { returnImmediately: true } });
    const task = taskOf(response) ?? skip('the agent makes no task of --message-that-works');
    if (isTerminal(task) || isInterrupted(task))
      skip('the task of --message-that-works ends at once, see send.returns-immediately');
    return task;
  }

  /** SendMessage; what is refused skips, since `send.answers` tells of it. */
  async send(params: JsonObject): Promise<JsonObject> {
    const { value, error } = await this.binding.call('SendMessage', params);
    return value ?? skip(`SendMessage is refused: ${error?.message ?? ''}`);
  }

  async stream(params: JsonObject): Promise<Collected> {
    const stream = await this.binding.open('SendStreamingMessage', params);
    if (stream.error) skip(`SendStreamingMessage is refused: ${stream.error.message}`);
    return collect(stream, this.target.limits);
  }

  async getTask(id: string, more: JsonObject = {}): Promise<JsonObject> {
    const { value } = await this.binding.call('GetTask', { id, ...more });
    return value ?? skip('GetTask is refused, see task.get');
  }

  /** Asks until the task is as wanted; skips when it never is. */
  async until(id: string, wanted: (task: JsonObject) => boolean): Promise<JsonObject> {
    for (let n = 0; n < MOST_POLLS; n += 1) {
      const task = await this.getTask(id);
      if (wanted(task)) return task;
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
    return skip(`the task stays ${stateOf(await this.getTask(id))}`);
  }

  /** Cancels what a check left running; whether that works is another check. */
  async cancel(task: JsonObject): Promise<void> {
    await this.binding.call('CancelTask', { id: idOf(task) }).catch(() => undefined);
  }

  async #finished(more: JsonObject): Promise<JsonObject> {
    const response = await this.send({ message: userMessage(this.target.options.message, more) });
    return taskOf(response) ?? skip('the agent answers with a Message and makes no task');
  }

  /** `scene`, played once under that name; whoever needs it shares its result and its failure. */
  once<T>(name: string, scene: () => Promise<T>): Promise<T> {
    const played = (this.#played.get(name) as Promise<T> | undefined) ?? scene();
    this.#played.set(name, played);
    return played;
  }

  #play<T>(name: string, owner: string, scene: () => Promise<T>): Promise<T> {
    return this.once(name, () =>
      scene().catch((error: unknown) => {
        if (error instanceof CheckSkipped) throw error;
        throw new CheckSkipped(`${error instanceof Error ? error.message : String(error)}; see ${owner}`);
      }),
    );
  }
}
