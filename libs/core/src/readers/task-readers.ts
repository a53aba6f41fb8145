import type { CallContext } from '../call-context.js';
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

/** The live readers of one API process, fed by the bus and kept honest by the store. */
export class TaskReaders {
  readonly #readers = new Map<string, Set<TaskReader>>();
  /** Subscriptions to tasks' own channels, shared by the readers of a task. */
  readonly #channels = new Map<string, { readers: Set<TaskReader>; subscribed: Promise<Subscription | undefined> }>();
  /** Readers whose live signal is missing; the store is asked for them at `pollMs`. */
  readonly #unheard = new Set<TaskReader>();
  #replica: Subscription | undefined;
  #comparing: Promise<void> | undefined;
  #lastFullCompare = 0;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(
    private readonly store: TaskStore,
    private readonly bus: EventBus,
    private readonly logger: Logger,
    private readonly options: TaskReadersOptions,
  ) {}

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
    if (!(await channel.subscribed)) this.#unheard.add(reader);
    return reader;
  }

  /** Closes every reader; their `next` resolves with undefined. */
  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#timer);
    for (const readers of [...this.#readers.values()]) for (const reader of [...readers]) reader.close();
    await this.#comparing;
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

  #subscribe(taskId: string): { readers: Set<TaskReader>; subscribed: Promise<Subscription | undefined> } {
    const readers = new Set<TaskReader>();
    const subscribed = this.#tryChannel(`task:${taskId}`, () => {
      for (const reader of readers) reader.catchUp();
    });
    const channel = { readers, subscribed };
    this.#channels.set(taskId, channel);
    return channel;
  }

  async #listen(): Promise<void> {
    if (this.#replica || this.#closed) return;
    this.#replica = await this.#tryChannel(`replica:${this.options.replicaId}`, () => this.#catchUpAll());
    if (this.#replica) this.#catchUpAll();
  }

  async #tryChannel(channel: Channel, onResubscribed: () => void): Promise<Subscription | undefined> {
    try {
      return await this.bus.subscribe(channel, { onMessage: (message) => this.#onMessage(message), onResubscribed });
    } catch (err) {
      this.logger.warn('The event bus did not acknowledge a subscription; its readers poll the store', { channel, err });
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
    if (!full && this.#unheard.size === 0) return;
    this.#comparing = this.#compare(full).finally(() => {
      this.#comparing = undefined;
    });
    await this.#comparing;
  }

  async #compare(full: boolean): Promise<void> {
    if (full) await this.#listen();
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
      this.logger.warn('The store could not be asked for the readers’ positions', { err });
    }
  }
}
