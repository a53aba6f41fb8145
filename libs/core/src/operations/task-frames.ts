import { isTerminal, type StreamResponse, type Task, type WireText } from '#protocol';
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
  readonly reader: TaskReader;
  /** The opening frame, or undefined when the first event decides whether there is a task at all. */
  readonly opening: Frame | undefined;
  /** Makes the opening frame out of the first event, when `opening` is undefined. */
  readonly openWith?: (first: TaskEvent) => Promise<Frame>;
  /** Is this event the stream's last? A terminal one always is. */
  readonly isLast: (event: TaskEvent) => boolean;
  /** The opening frame is the end already. */
  readonly ended?: boolean;
}

/** A task's events as frames: the opening one, then each sequence once, up to the last that concerns this stream. */
export class TaskFrames implements FrameStream {
  constructor(private readonly options: TaskFramesOptions) {}

  close(): void {
    this.options.reader.close();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<readonly Frame[]> {
    const { reader, opening, openWith, ended } = this.options;
    try {
      if (opening) yield [opening];
      if (ended) return;
      let opened = opening !== undefined;
      for (;;) {
        const events = await reader.next();
        if (!events) return;
        const { frames, done } = this.#framesOf(events);
        if (!opened && openWith && events[0]?.kind !== 'answer') frames[0] = await openWith(events[0] as TaskEvent);
        opened = true;
        yield frames;
        if (done) return;
      }
    } finally {
      reader.close();
    }
  }

  #framesOf(events: readonly TaskEvent[]): { frames: Frame[]; done: boolean } {
    const frames: Frame[] = [];
    for (const event of events) {
      frames.push({ sequence: event.kind === 'answer' ? 0 : event.sequence, payload: event.payload });
      if (isTerminal(event.state) || this.options.isLast(event)) return { frames, done: true };
    }
    return { frames, done: false };
  }
}
