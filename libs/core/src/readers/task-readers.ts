import type { CallContext } from '../call-context.js';
import { ThrottledWarning } from '../execution/throttled-warning.js';
import type { Logger } from '../logger.js';
import type { BusMessage, Channel, EventBus, Subscription } from '../ports/event-bus.js';
import type { TaskStore } from '../ports/task-store.js';
import { TaskReader } from './task-reader.js';

export interface TaskReadersOptions {
  /** This API replica; tasks accepted here are announced on its channel. */
  readonly replicaId: string;
  /** How often the readers' positions are compared with the store, in milliseconds. */
  readonly compareMs: number;
  /** How often while a subscription that a reader depends on is missing. */
  readonly pollMs: number;
}

export const DEFAULT_READER_TIMES = Object.freeze({ compareMs: 1000, pollMs: 250 });

/** A task's own channel, shared by the readers of the task. */
interface TaskChannel {
  readonly taskId: string;
  readonly readers: Set<TaskReader>;
  subscribed: Promise<Subscription | undefined>;
  /** The bus did not acknowledge it. */
  missing: boolean;
}

/** The live readers of one API process, fed by the bus and kept honest by the store. */
export class TaskReaders {
  readonly #readers = new Map<string, Set<TaskReader>>();
  readonly #channels = new Map<string, TaskChannel>();
  /** Readers whose live signal is missing; the store is asked for them at `pollMs`. */
  readonly #unheard = new Set<TaskReader>();
  #replica: Subscription | undefined;
  #comparing: Promise<void> | undefined;
  #listeningAgain: Promise<void> | undefined;
  #lastFullCompare = 0;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;
  readonly #deaf: ThrottledWarning;
  readonly #blind: ThrottledWarning;

  constructor(
    private readonly store: TaskStore,
    private readonly bus: EventBus,
    logger: Logger,
    private readonly options: TaskReadersOptions,
  ) {
    this.#deaf = new ThrottledWarning(logger, 'The event bus did not acknowledge a subscription; its readers poll the store');
    this.#blind = new ThrottledWarning(logger, 'The store could not be asked for the readers’ positions');
  }

  get replicaId(): string {
    return this.options.replicaId;
  }

  get size(): number {
    let count = 0;
    for (const readers of this.#readers.values()) count += readers.size;
    return count;
  }

  /** Subscribes to the replica's channel; when the bus is away, readers poll until it is back. */
  async start(): Promise<void> {
    this.#timer = setInterval(() => void this.#tick(), this.options.pollMs);
    await this.#listen();
  }

  /**
   * A reader of a task that was (or will be) accepted here: the replica's channel serves it. It delivers nothing before its
   * `start`.
   */
  openOwn(ctx: CallContext, taskId: string): TaskReader {
    const reader = this.#register(ctx, taskId);
    if (!this.#replica) this.#unheard.add(reader);
    return reader;
  }

  /** A reader of any task. Resolves once the task's channel is acknowledged, or is known not to be: then it polls. */
  async open(ctx: CallContext, taskId: string): Promise<TaskReader> {
    const reader = this.#register(ctx, taskId);
    if (this.#closed) return reader;
    const channel = this.#channels.get(taskId) ?? this.#subscribe(taskId);
    channel.readers.add(reader);
    await channel.subscribed;
    if (channel.missing && !reader.closed) this.#unheard.add(reader);
    return reader;
  }

  /** Closes every reader; their `next` resolves with undefined. */
  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#timer);
    for (const readers of [...this.#readers.values()]) for (const reader of [...readers]) reader.close();
    await Promise.all([this.#comparing, this.#listeningAgain]);
    await this.#replica?.close().catch(() => undefined);
  }

  #register(ctx: CallContext, taskId: string): TaskReader {
    const reader = new TaskReader(ctx, taskId, this.store, (closed) => this.#unregister(closed));
    const readers = this.#readers.get(taskId);
    if (readers) readers.add(reader);
    else this.#readers.set(taskId, new Set([reader]));
    // An operation that was under way when the readers closed would wait on this one for ever.
    if (this.#closed) reader.close();
    return reader;
  }

  #unregister(reader: TaskReader): void {
    const readers = this.#readers.get(reader.taskId);
    readers?.delete(reader);
    if (readers?.size === 0) this.#readers.delete(reader.taskId);
    this.#unheard.delete(reader);
    const channel = this.#channels.get(reader.taskId);
    if (channel?.readers.delete(reader) && channel.readers.size === 0) {
      this.#channels.delete(reader.taskId);
      void channel.subscribed.then((subscription) => subscription?.close()).catch(() => undefined);
    }
  }

  #subscribe(taskId: string): TaskChannel {
    const channel: TaskChannel = { taskId, readers: new Set(), subscribed: Promise.resolve(undefined), missing: false };
    this.#channels.set(taskId, channel);
    channel.subscribed = this.#askFor(channel);
    return channel;
  }

  async #askFor(channel: TaskChannel): Promise<Subscription | undefined> {
    const subscription = await this.#tryChannel(`task:${channel.taskId}`, () => {
      for (const reader of channel.readers) reader.catchUp();
    });
    channel.missing = subscription === undefined;
    return subscription;
  }

  async #listen(): Promise<void> {
    if (this.#replica || this.#closed) return;
    this.#replica = await this.#tryChannel(`replica:${this.options.replicaId}`, () => this.#catchUpAll());
    if (!this.#replica) return;
    for (const reader of this.#unheard) {
      if (!this.#channels.get(reader.taskId)?.readers.has(reader)) this.#unheard.delete(reader);
    }
    this.#catchUpAll();
  }

  /** Back to signals. The bus is asked for one subscription first: while it is away, it is not asked for each of the rest. */
  async #listenAgain(): Promise<void> {
    await this.#listen();
    if (!this.#replica) return;
    const missing = [...this.#channels.values()].filter((channel) => channel.missing);
    const [first, ...rest] = missing;
    if (first && (await this.#retry(first))) await Promise.all(rest.map((channel) => this.#retry(channel)));
  }

  async #retry(channel: TaskChannel): Promise<boolean> {
    // Its readers have left meanwhile: whoever subscribed now would have nobody to close it.
    if (this.#channels.get(channel.taskId) !== channel) return true;
    channel.subscribed = this.#askFor(channel);
    if (!(await channel.subscribed)) return false;
    for (const reader of channel.readers) {
      this.#unheard.delete(reader);
      reader.catchUp();
    }
    return true;
  }

  async #tryChannel(channel: Channel, onResubscribed: () => void): Promise<Subscription | undefined> {
    try {
      return await this.bus.subscribe(channel, { onMessage: (message) => this.#onMessage(message), onResubscribed });
    } catch (err) {
      this.#deaf.warn({ channel, err });
      return undefined;
    }
  }

  #onMessage(message: BusMessage): void {
    const readers = this.#readers.get(message.taskId);
    if (!readers) return;
    for (const reader of [...readers]) {
      if (message.type === 'events') reader.offer(message.events);
      else if (message.type === 'head') reader.catchUp(message.sequence);
    }
  }

  #catchUpAll(): void {
    for (const readers of this.#readers.values()) for (const reader of readers) reader.catchUp();
  }

  /** One query for all readers: the last event is the one whose loss no gap reveals. */
  async #tick(): Promise<void> {
    if (this.#comparing || this.#closed) return;
    const now = performance.now();
    const full = now - this.#lastFullCompare >= this.options.compareMs;
    if (full) this.#lastFullCompare = now;
    if (full && (!this.#replica || this.#unheard.size > 0)) {
      this.#listeningAgain ??= this.#listenAgain().finally(() => {
        this.#listeningAgain = undefined;
      });
    }
    if (!full && this.#unheard.size === 0) return;
    this.#comparing = this.#compare(full).finally(() => {
      this.#comparing = undefined;
    });
    await this.#comparing;
  }

  async #compare(full: boolean): Promise<void> {
    const readers = full ? [...this.#readers.values()].flatMap((set) => [...set]) : [...this.#unheard];
    const started = readers.filter((reader) => reader.known !== undefined);
    if (started.length === 0) return;
    try {
      const heads = await this.store.heads(
        started.map((reader) => ({ ctx: reader.ctx, taskId: reader.taskId, after: reader.known as number })),
      );
      for (const reader of started) {
        const head = heads.get(reader.taskId);
        if (head !== undefined) reader.catchUp(head === 0 ? undefined : head);
      }
    } catch (err) {
      this.#blind.warn({ err });
    }
  }
}
