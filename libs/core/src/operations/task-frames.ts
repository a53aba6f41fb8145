import { UnavailableError, type StreamResponse, type Task, type WireText } from '#protocol';
import type { TaskReader } from '../readers/task-reader.js';
import type { Frame, FrameStream } from '../request-handler.js';
import { fitFrame } from '../task/fit-frame.js';
import type { TaskEvent } from '../task/task-event.js';

/** The Task frame that opens a stream, standing for every event up to `sequence`. */
export const taskFrame = (task: Task, sequence: number): Frame => ({
  sequence,
  payload: `{"task":${fitFrame(task)}}` as WireText<StreamResponse>,
});

export interface TaskFramesOptions {
  /** Undefined when nothing comes after the opening frame. */
  readonly reader: TaskReader | undefined;
  /** The opening frame, or what makes it out of the first event, which then decides whether there is a task at all. */
  readonly opening: Frame | ((first: TaskEvent) => Promise<Frame>);
  /** Is this event the stream's last? */
  readonly isLast: (event: TaskEvent) => boolean;
}

/** A task's events as frames: the opening one, then each sequence once, up to the last that concerns this stream. */
export class TaskFrames implements FrameStream {
  readonly #reader: TaskReader | undefined;
  readonly #isLast: (event: TaskEvent) => boolean;
  /** Undefined once it was given out: it may be large, and the stream may last for hours. */
  #opening: TaskFramesOptions['opening'] | undefined;
  #closed = false;

  constructor({ reader, opening, isLast }: TaskFramesOptions) {
    this.#reader = reader;
    this.#opening = opening;
    this.#isLast = isLast;
  }

  close(): void {
    this.#closed = true;
    this.#reader?.close();
  }

  /** Rejects with UnavailableError when it is cut short before its first frame: an empty stream would look like an answer. */
  async *[Symbol.asyncIterator](): AsyncGenerator<readonly Frame[]> {
    try {
      if (typeof this.#opening === 'object') yield this.#takeOpening();
      while (this.#reader) {
        const events = await this.#reader.next();
        if (!events) return this.#cutShort(this.#reader.taskId);
        const { frames, done } = this.#framesOf(events);
        const [first] = events as [TaskEvent];
        if (typeof this.#opening === 'function' && first.kind !== 'answer') frames[0] = await this.#opening(first);
        this.#opening = undefined;
        yield frames;
        if (done) return;
      }
    } finally {
      this.close();
    }
  }

  #takeOpening(): Frame[] {
    const opening = this.#opening as Frame;
    this.#opening = undefined;
    return [opening];
  }

  #cutShort(taskId: string): void {
    if (this.#opening === undefined || this.#closed) return;
    throw new UnavailableError('The stream ended before the agent answered; the agent goes on', { taskId });
  }

  #framesOf(events: readonly TaskEvent[]): { frames: Frame[]; done: boolean } {
    const frames: Frame[] = [];
    for (const event of events) {
      const frame = { sequence: event.kind === 'answer' ? 0 : event.sequence, payload: event.payload };
      if (this.#isLast(event)) return { frames: [...frames, { ...frame, last: true }], done: true };
      frames.push(frame);
    }
    return { frames, done: false };
  }
}
