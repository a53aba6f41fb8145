import type { Message, StreamResponse } from '#protocol';
import type { StoredTask } from '../ports/task-store.js';
import type { Append } from '../ports/turn-store.js';
import type { TaskEventKind } from '../task/task-event.js';
import { foldStored } from '../task/render-task.js';
import { TaskFold } from '../task/task-fold.js';

const EVERY_EVENTS = 500;
/** A log this short past the snapshot is folded by whoever reads the task, for less than a snapshot costs to make and store. */
const SHORT_LOG = 8;
const SHARE_OF_LOG = 8;
/** A task beyond this is read from its log alone: its texts would be held here twice, and written anew with every snapshot. */
const MOST_CHARACTERS = 64 * 1024 * 1024;

interface RecordedText {
  readonly kind: TaskEventKind;
  readonly endsTurn: boolean;
  readonly payload: string;
}

/**
 * Folds what one turn records into the task's snapshot. Only texts are kept until a snapshot is due: nothing that an agent
 * still holds can change it, and a chunk costs nothing before that.
 */
export class TurnSnapshot {
  #fold: TaskFold | undefined;
  #waiting: RecordedText[] = [];
  #sequence: number;
  #snapshotSequence: number;
  #characters: number;
  #broken = false;

  constructor(private readonly stored: StoredTask) {
    this.#sequence = stored.sequence;
    this.#snapshotSequence = stored.snapshotSequence;
    this.#characters = (stored.artifacts?.length ?? 0) + (stored.history?.length ?? 0);
  }

  /**
   * The snapshot that goes with an append of `events`, when one is due: at the end of a turn that leaves more than 8 events
   * outside the last one, and every 500 events before it. Past 4,000 events the distance grows with the log, so that the total
   * written stays in proportion to it.
   */
  offer(events: readonly RecordedText[], endsTurn: boolean): Append['snapshot'] {
    for (const { payload } of events) this.#characters += payload.length;
    if (this.#characters > MOST_CHARACTERS) this.giveUp();
    if (this.#broken) return undefined;
    this.#waiting.push(...events);
    const head = this.#sequence + events.length;
    const outside = head - this.#snapshotSequence;
    if (endsTurn ? outside <= SHORT_LOG : outside < Math.max(EVERY_EVENTS, head / SHARE_OF_LOG)) return undefined;
    this.#fold ??= new TaskFold(foldStored(this.stored));
    for (const { kind, endsTurn: ends, payload } of this.#waiting) {
      this.#fold.apply({ kind, endsTurn: ends, frame: JSON.parse(payload) as StreamResponse });
    }
    this.#waiting = [];
    this.#snapshotSequence = head;
    const { artifacts = [], history = [] as Message[] } = this.#fold.task();
    return { base: this.#sequence, artifacts: JSON.stringify(artifacts), history: JSON.stringify(history) };
  }

  /** The append was recorded from `first` on. A gap is a message that was accepted meanwhile: this fold has not seen it. */
  recorded(first: number, count: number): void {
    if (first !== this.#sequence + 1) this.giveUp();
    this.#sequence = first + count - 1;
  }

  /** What was offered was not recorded as it was, or will not be: no snapshot of this turn would equal the fold of the log. */
  giveUp(): void {
    this.#broken = true;
    this.#fold = undefined;
    this.#waiting = [];
  }
}
