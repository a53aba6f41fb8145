import type {
  CancelTaskRequest,
  GetTaskRequest,
  ListTasksRequest,
  ListTasksResponse,
  SendMessageRequest,
  SendMessageResponse,
  Task,
} from '#protocol';
import type { PeerDirectory } from './agent-card/peer-directory.js';
import type { PeerOptions } from './agent-card/peer-options.js';
import type { Binding, Received, RequestOptions } from './bindings/binding.js';
import { HttpJsonBinding } from './bindings/http-json.js';
import { JsonRpcBinding } from './bindings/json-rpc.js';
import { PeerAnsweredError, PeerNotServedError, PeerUnavailableError } from './errors.js';
import { HttpExchange, type OutboundFetch } from './http/http-exchange.js';
import { withRetries } from './retry.js';
import { TaskFollower } from './task-follower.js';

export interface A2AClientParts {
  readonly fetch: OutboundFetch;
  /** Shared by the clients of a process. */
  readonly directory: PeerDirectory;
}

export interface A2AClientSettings {
  /** For each request, and for the first byte of each stream, in milliseconds. A blocking send is a request. Default: 60 s. */
  readonly timeoutMs?: number;
  /** How long an agent may be away before a call of it fails, in milliseconds. Default: 30 s. */
  readonly patienceMs?: number;
  /** A stream that is silent for so long is taken up anew, in milliseconds. Default: 60 s. */
  readonly idleMs?: number;
  /** First and longest interval at which an agent without streams is asked, in milliseconds. Default: 250 and 2000. */
  readonly pollMs?: { readonly first: number; readonly longest: number };
}

export interface CallOptions {
  readonly signal?: AbortSignal;
  /** Names the message for agents that keep it, so that its repetition is answered with the same task. */
  readonly idempotencyKey?: string;
  /** W3C trace context. */
  readonly trace?: { readonly traceparent: string; readonly tracestate?: string };
}

export interface FollowOptions extends CallOptions {
  /** The id of the last event that was received: the agent goes on after it, if it can. */
  readonly lastEventId?: string;
}

const TIMEOUT_MS = 60_000;
const PATIENCE_MS = 30_000;
const IDLE_MS = 60_000;
const POLL_MS = { first: 250, longest: 2000 };
const MAX_ANSWER_BYTES = 16 * 1024 * 1024;
const MAX_EVENT_BYTES = 16 * 1024 * 1024;

/**
 * Calls one agent, of A2A 1.0 or 0.3, over the interface that its card names. Every method rejects with a PeerError, with an
 * OutboundRefusedError where the host's policy forbids the address, and with the signal's reason.
 */
export class A2AClient {
  readonly #exchange: HttpExchange;
  readonly #settings: Required<A2AClientSettings>;

  /** `url` is the agent's base, or its card's when it ends in `.json`. */
  constructor(
    readonly url: string,
    private readonly parts: A2AClientParts,
    private readonly options: PeerOptions = {},
    settings: A2AClientSettings = {},
  ) {
    this.#settings = {
      timeoutMs: settings.timeoutMs ?? TIMEOUT_MS,
      patienceMs: settings.patienceMs ?? PATIENCE_MS,
      idleMs: settings.idleMs ?? IDLE_MS,
      pollMs: settings.pollMs ?? POLL_MS,
    };
    this.#exchange = new HttpExchange(url, parts.fetch, {
      maxAnswerBytes: MAX_ANSWER_BYTES,
      maxEventBytes: MAX_EVENT_BYTES,
      idleMs: this.#settings.idleMs,
    });
  }

  /** One blocking send, unless the request says otherwise. Repeated only where the agent cannot have acted on it, or keeps the key. */
  send(request: SendMessageRequest, call: CallOptions = {}): Promise<SendMessageResponse> {
    return this.#retried(
      call,
      () => this.#over(call.signal, (binding) => binding.send(request, this.#requestOptions(call))),
      (failure) => this.#maySendAgain(failure, call),
    );
  }

  get(request: GetTaskRequest, call: CallOptions = {}): Promise<Task> {
    return this.#retried(call, () => this.#over(call.signal, (binding) => binding.get(request, this.#requestOptions(call))));
  }

  /** Cancel is idempotent: it is repeated while the agent is unavailable. */
  cancel(request: CancelTaskRequest, call: CallOptions = {}): Promise<Task> {
    return this.#retried(call, () => this.#over(call.signal, (binding) => binding.cancel(request, this.#requestOptions(call))));
  }

  list(request: ListTasksRequest, call: CallOptions = {}): Promise<ListTasksResponse> {
    return this.#retried(call, () => this.#over(call.signal, (binding) => binding.list(request, this.#requestOptions(call))));
  }

  /**
   * Sends a message and gives its events up to the Message, the terminal state or the state that waits for the caller. A stream that
   * is cut is resumed; a task of an agent that does not stream is asked for until it has changed.
   */
  async *stream(request: SendMessageRequest, call: CallOptions = {}): AsyncGenerator<Received> {
    const follower = this.#follower(call);
    const peer = await this.#peer(call.signal);
    if (peer.streaming === false) return yield* this.#sendAndPoll(request, call, follower);
    try {
      yield* follower.watch(
        this.#opened(() => this.#streams(request, call), call),
        true,
      );
    } catch (error) {
      if (follower.task === undefined && cannotStream(error)) return yield* this.#sendAndPoll(request, call, follower);
      if (follower.task === undefined || !(error instanceof PeerUnavailableError)) throw error;
    }
    if (!follower.over) yield* follower.resume();
  }

  /** The events of a task that is under way, as `stream` gives them; the first is the task. */
  async *subscribe(taskId: string, call: FollowOptions = {}): AsyncGenerator<Received> {
    const follower = this.#follower(call);
    follower.begin(taskId, call.lastEventId);
    yield* follower.resume();
  }

  #follower(call: CallOptions): TaskFollower {
    const { patienceMs, pollMs } = this.#settings;
    return new TaskFollower(
      {
        streams: async () => (await this.#peer(call.signal)).streaming !== false,
        subscribe: (id, headers) =>
          this.#overStream(call.signal, (binding) => binding.subscribe({ id }, this.#requestOptions(call, headers))),
        get: (id) => this.get({ id, historyLength: 0 }, call),
      },
      { patienceMs, pollMs, ...(call.signal ? { signal: call.signal } : {}) },
    );
  }

  async *#sendAndPoll(request: SendMessageRequest, call: CallOptions, follower: TaskFollower): AsyncGenerator<Received> {
    const configuration = { ...request.configuration, returnImmediately: true };
    const response = await this.send({ ...request, configuration }, call);
    yield* follower.watch(one({ response }));
    if (!follower.over) yield* follower.poll();
  }

  #streams(request: SendMessageRequest, call: CallOptions): AsyncGenerator<Received> {
    return this.#overStream(call.signal, (binding) => binding.stream(request, this.#requestOptions(call)));
  }

  /** A stream that fails before its first event is a request that failed: opened again as a send is sent again. */
  async *#opened(open: () => AsyncGenerator<Received>, call: CallOptions): AsyncGenerator<Received> {
    let events = open();
    const first = await this.#retried(
      call,
      async () => {
        try {
          return await events.next();
        } catch (error) {
          events = open();
          throw error;
        }
      },
      (failure) => this.#maySendAgain(failure, call),
    );
    try {
      if (first.done === true) return;
      yield first.value;
      yield* events;
    } finally {
      await events.return(undefined);
    }
  }

  #maySendAgain({ submitted }: PeerUnavailableError, { idempotencyKey }: CallOptions): boolean {
    return submitted === 'no' || (this.options.idempotent === true && idempotencyKey !== undefined);
  }

  #retried<T>(call: CallOptions, attempt: () => Promise<T>, mayRepeat?: (failure: PeerUnavailableError) => boolean): Promise<T> {
    return withRetries(attempt, {
      patienceMs: this.#settings.patienceMs,
      ...(call.signal ? { signal: call.signal } : {}),
      ...(mayRepeat ? { mayRepeat } : {}),
    });
  }

  #peer(signal?: AbortSignal) {
    return this.parts.directory.find(this.url, this.#exchange, this.options, signal);
  }

  /** Tries the agent's interfaces in turn: on to the next one after a definitive no, and after nothing else. */
  async #over<T>(signal: AbortSignal | undefined, work: (binding: Binding) => Promise<T>): Promise<T> {
    const peer = await this.#peer(signal);
    let refusal: unknown;
    for (const each of peer.candidates) {
      try {
        const result = await work(this.#binding(each));
        peer.answered(each);
        return result;
      } catch (error) {
        if (error instanceof PeerAnsweredError) peer.answered(each);
        if (!(error instanceof PeerNotServedError)) throw error;
        refusal ??= error;
      }
    }
    // What is remembered of it may be what is wrong.
    this.parts.directory.forget(this.url, this.options);
    throw refusal;
  }

  async *#overStream(
    signal: AbortSignal | undefined,
    open: (binding: Binding) => AsyncGenerator<Received>,
  ): AsyncGenerator<Received> {
    let events: AsyncGenerator<Received> | undefined;
    const first = await this.#over(signal, (binding) => (events = open(binding)).next());
    try {
      if (first.done === true) return;
      yield first.value;
      if (events) yield* events;
    } finally {
      await events?.return(undefined);
    }
  }

  #binding(at: Binding['peer']): Binding {
    return at.binding === 'JSONRPC' ? new JsonRpcBinding(at, this.#exchange) : new HttpJsonBinding(at, this.#exchange);
  }

  #requestOptions({ signal, idempotencyKey, trace }: CallOptions, more: Readonly<Record<string, string>> = {}): RequestOptions {
    const headers = {
      ...this.options.headers,
      ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
      ...trace,
      ...more,
    };
    return { headers, timeoutMs: this.#settings.timeoutMs, ...(signal ? { signal } : {}) };
  }
}

/** The agent says that it has no streams, rather than that it has no such task. */
const cannotStream = (error: unknown): boolean =>
  error instanceof PeerNotServedError || (error instanceof PeerAnsweredError && error.error === 'UnsupportedOperationError');

async function* one(received: Received): AsyncGenerator<Received> {
  yield received;
}
