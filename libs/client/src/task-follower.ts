import { isInterrupted, isTerminal, type StreamResponse, type Task, type TaskState } from '#protocol';
import type { Received } from './bindings/binding.js';
import { PeerAnsweredError, PeerNotServedError, PeerUnavailableError } from './errors.js';
import { BackOff } from './retry.js';
import { setTimeout as delay } from 'node:timers/promises';

/** The agent's side, one request each. */
export interface FollowedPeer {
  streams(): Promise<boolean>;
  subscribe(taskId: string, headers: Readonly<Record<string, string>>): AsyncGenerator<Received>;
  get(taskId: string): Promise<Task>;
}

export interface TaskFollowerOptions {
  /** How long the agent may be away, in milliseconds. */
  readonly patienceMs: number;
  readonly pollMs: { readonly first: number; readonly longest: number };
  readonly signal?: AbortSignal;
}

/** Keeps hold of a task through streams that are cut and agents that are away, up to the end of its turn. */
export class TaskFollower {
  /** The task's id, once it is known. */
  task: string | undefined;
  #lastEventId: string | undefined;
  #state: TaskState | undefined;
  #answered = false;

  constructor(
    private readonly peer: FollowedPeer,
    private readonly options: TaskFollowerOptions,
  ) {}

  /** Nothing follows: a Message came, a terminal state, or one that waits for the caller. */
  get over(): boolean {
    return this.#answered || (this.#state !== undefined && (isTerminal(this.#state) || isInterrupted(this.#state)));
  }

  begin(taskId: string, lastEventId?: string): void {
    this.task = taskId;
    this.#lastEventId = lastEventId;
  }

  /**
   * Gives the events of a stream on, and notes where it stands. It is left at the end of the turn, as a stream of SubscribeToTask goes on
   * beyond INPUT_REQUIRED; AUTH_REQUIRED ends no stream. `afterSend`: a task that is shown may be as it was before the message.
   */
  async *watch(events: AsyncGenerator<Received>, afterSend = false): AsyncGenerator<Received> {
    for await (const received of events) {
      this.#note(received);
      yield received;
      if (this.#answered || this.#endsStream(afterSend && received.response.task !== undefined)) return;
    }
  }

  /** Subscribes until the turn is over; asks for the task where the agent has no streams, or none of this task. */
  async *resume(): AsyncGenerator<Received> {
    const backOff = new BackOff();
    let until: number | undefined;
    while (await this.peer.streams()) {
      let failure: unknown;
      try {
        for await (const received of this.watch(this.peer.subscribe(this.#id, this.#resumption))) {
          until = undefined;
          backOff.reset();
          yield received;
        }
        if (this.over) return;
      } catch (error) {
        if (isNoStream(error)) break;
        if (!(error instanceof PeerUnavailableError)) throw error;
        failure = error;
      }
      // A stream that ends well before its task is one of a replica that shut down, or of an agent that cannot go on: both are asked again.
      const now = performance.now();
      until ??= now + this.options.patienceMs;
      if (now >= until) {
        if (failure) throw failure;
        break;
      }
      await backOff.wait(this.options.signal);
    }
    yield* this.poll();
  }

  /** The task, whenever it has changed. */
  async *poll(): AsyncGenerator<Received> {
    let ms = this.options.pollMs.first;
    let last = '';
    for (;;) {
      const task = await this.peer.get(this.#id);
      const written = JSON.stringify(task);
      if (written !== last) {
        ms = this.options.pollMs.first;
        last = written;
        const received = { response: { task } };
        this.#note(received);
        yield received;
      }
      if (this.over) return;
      await this.#sleep(ms);
      ms = Math.min(ms * 1.5, this.options.pollMs.longest);
    }
  }

  get #id(): string {
    if (this.task === undefined) throw new Error('there is no task to follow');
    return this.task;
  }

  get #resumption(): Readonly<Record<string, string>> {
    return this.#lastEventId === undefined ? {} : { 'last-event-id': this.#lastEventId };
  }

  #endsStream(mayBeOld: boolean): boolean {
    if (this.#state === undefined) return false;
    return isTerminal(this.#state) || (this.#state === 'TASK_STATE_INPUT_REQUIRED' && !mayBeOld);
  }

  #note({ id, response }: Received): void {
    this.task = taskIdOf(response) ?? this.task;
    this.#state = (response.task ?? response.statusUpdate)?.status.state ?? this.#state;
    this.#answered = response.message !== undefined;
    if (id !== undefined) this.#lastEventId = id;
  }

  async #sleep(ms: number): Promise<void> {
    const { signal } = this.options;
    try {
      await delay(ms, undefined, signal ? { signal } : {});
    } catch (error) {
      throw signal?.aborted ? signal.reason : error;
    }
  }
}

const taskIdOf = ({ task, statusUpdate, artifactUpdate }: StreamResponse): string | undefined =>
  task?.id ?? statusUpdate?.taskId ?? artifactUpdate?.taskId;

/** A task that has ended, and an agent without streams, are refused alike; a task that is gone is not. */
const isNoStream = (error: unknown): boolean =>
  error instanceof PeerNotServedError || (error instanceof PeerAnsweredError && error.error !== 'TaskNotFoundError');
