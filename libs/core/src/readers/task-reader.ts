import type { CallContext } from '../call-context.js';
import { StoreUnavailableError, type TaskStore } from '../ports/task-store.js';
import type { TaskEvent } from '../task/task-event.js';

const LOG_PAGE = 500;
const BUFFERED_EVENTS = 512;
const BUFFERED_CHARACTERS = 1024 * 1024;
const RETRY_MS = 250;

/**
 * A cursor over one task's log. It delivers every sequence after its start exactly once and in order, from live signals
 * while they come without a gap and from the store otherwise. What it has not delivered it may forget: the log has it.
 */
export class TaskReader {
  #cursor: number | undefined;
  #buffer: TaskEvent[] = [];
  #buffered = 0;
  #behind = false;
  #closed = false;
  #wake: (() => void) | undefined;

  constructor(
    readonly ctx: CallContext,
    readonly taskId: string,
    private readonly store: TaskStore,
    private readonly onClose: (reader: TaskReader) => void,
  ) {}

  /** Sequence of the last event delivered or held; undefined before `start`. */
  get known(): number | undefined {
    return this.#cursor === undefined ? undefined : (this.#buffer.at(-1)?.sequence ?? this.#cursor);
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** Deliver what comes after `sequence`. `behind` says that the log may already have more. */
  start(sequence: number, behind = false): void {
    const early = this.#buffer;
    this.#buffer = [];
    this.#buffered = 0;
    this.#cursor = sequence;
    this.#behind ||= behind;
    this.offer(early);
  }

  /** Live events, ascending. Known ones are dropped; a gap, or more than may be held, sends the reader to the log. */
  offer(events: readonly TaskEvent[]): void {
    if (this.#closed) return;
    if (this.#cursor === undefined) {
      this.#buffer.push(...events);
      return;
    }
    for (const event of events) {
      const expected = (this.known as number) + 1;
      if (event.sequence < expected) continue;
      if (event.sequence > expected || this.#buffer.length >= BUFFERED_EVENTS || this.#buffered >= BUFFERED_CHARACTERS) {
        this.#behind = true;
        break;
      }
      this.#buffer.push(event);
      this.#buffered += event.payload.length;
    }
    if (this.#buffer.length > 0 || this.#behind) this.#signal();
  }

  /** The log may have grown past what this reader was told: read it. */
  catchUp(head = Number.POSITIVE_INFINITY): void {
    if (this.#closed || (this.known !== undefined && head <= this.known)) return;
    this.#behind = true;
    this.#signal();
  }

  /** The next events, never empty; undefined when the reader is closed or the task is gone. One call at a time. */
  async next(): Promise<readonly TaskEvent[] | undefined> {
    for (;;) {
      if (this.#closed) return undefined;
      if (this.#cursor !== undefined) {
        if (this.#buffer.length > 0) return this.#deliver(this.#takeBuffer());
        if (this.#behind) {
          const events = await this.#readLog();
          if (!events) return undefined;
          if (events.length > 0) return events;
          continue;
        }
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#buffer = [];
    this.onClose(this);
    this.#signal();
  }

  async #readLog(): Promise<readonly TaskEvent[] | undefined> {
    this.#behind = false;
    const after = this.#cursor as number;
    try {
      const events = await this.store.readEvents(this.ctx, this.taskId, after, LOG_PAGE);
      if (!events) {
        this.close();
        return undefined;
      }
      if (this.#closed) return undefined;
      if (events.length >= LOG_PAGE) this.#behind = true;
      const delivered = this.#deliver(events);
      this.#rebase();
      return delivered;
    } catch (error) {
      if (!(error instanceof StoreUnavailableError)) throw error;
      this.#behind = true;
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      return [];
    }
  }

  /** What was held while the log was read: keep only what follows it directly. */
  #rebase(): void {
    const held = this.#takeBuffer();
    this.offer(held);
  }

  #deliver(events: readonly TaskEvent[]): readonly TaskEvent[] {
    const last = events.at(-1);
    if (last) this.#cursor = last.sequence;
    return events;
  }

  #takeBuffer(): TaskEvent[] {
    const taken = this.#buffer;
    this.#buffer = [];
    this.#buffered = 0;
    return taken;
  }

  #signal(): void {
    const wake = this.#wake;
    this.#wake = undefined;
    wake?.();
  }
}
