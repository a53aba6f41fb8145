/** More would not be looked at sooner than a sweep does. */
const MOST = 10_000;
const REST_MS = 200;
const SECOND_LOOK_MS = 500;

/** Tasks whose push configurations are to be looked at: at once, in a moment, or when their receiver has room. */
export class HintedTasks {
  #now = new Set<string>();
  readonly #held = new Map<string, Set<string>>();
  #heldCount = 0;
  readonly #resting = new Map<string, { hinted: boolean }>();
  readonly #looking = new Set<string>();
  readonly #timers = new Set<NodeJS.Timeout>();
  #closed = false;

  constructor(private readonly onWork: () => void) {}

  get size(): number {
    return this.#now.size;
  }

  add(taskId: string): void {
    if (this.#closed || this.#now.size >= MOST) return;
    const resting = this.#resting.get(taskId);
    if (resting) {
      resting.hinted = true;
      return;
    }
    this.#now.add(taskId);
    this.onWork();
  }

  /** The longest hinted; they are forgotten here. */
  take(count: number): string[] {
    const taken: string[] = [];
    for (const taskId of this.#now) {
      if (taken.length === count) break;
      taken.push(taskId);
    }
    for (const taskId of taken) this.#now.delete(taskId);
    return taken;
  }

  /** Nothing was to be done: hints of the next moment count as one. */
  rest(taskId: string): void {
    if (this.#closed || this.#resting.has(taskId)) return;
    const resting = { hinted: false };
    this.#resting.set(taskId, resting);
    this.#later(REST_MS, () => {
      this.#resting.delete(taskId);
      if (resting.hinted) this.add(taskId);
    });
  }

  /** Once more in a moment, however often this is called meanwhile. */
  lookAgain(taskId: string): void {
    if (this.#closed || this.#looking.has(taskId)) return;
    this.#looking.add(taskId);
    this.#later(SECOND_LOOK_MS, () => {
      this.add(taskId);
      // The look that this causes asks for no other.
      this.#later(SECOND_LOOK_MS, () => this.#looking.delete(taskId));
    });
  }

  /** Until its receiver has room. */
  hold(taskId: string, receiver: string): void {
    if (this.#closed || this.#heldCount >= MOST) return;
    let held = this.#held.get(receiver);
    if (!held) this.#held.set(receiver, (held = new Set()));
    if (held.has(taskId)) return;
    held.add(taskId);
    this.#heldCount += 1;
  }

  /** The receiver has room for one more. */
  release(receiver: string): void {
    const held = this.#held.get(receiver);
    const first = held?.values().next();
    if (!held || !first || first.done) return;
    held.delete(first.value);
    this.#heldCount -= 1;
    if (held.size === 0) this.#held.delete(receiver);
    this.add(first.value);
  }

  /** One task of each receiver: whoever has room again is found so. */
  releaseAll(): void {
    for (const receiver of [...this.#held.keys()]) this.release(receiver);
  }

  close(): void {
    this.#closed = true;
    for (const timer of this.#timers) clearTimeout(timer);
    this.#now.clear();
    this.#held.clear();
  }

  #later(milliseconds: number, work: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      if (!this.#closed) work();
    }, milliseconds);
    this.#timers.add(timer);
  }
}
