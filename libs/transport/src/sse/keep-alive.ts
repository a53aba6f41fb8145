/** Writes one comment. */
export type Beat = () => void;

/** One timer for all open streams: a comment line now and then keeps proxies from taking silence for death. */
export class KeepAlive {
  readonly #beats = new Set<Beat>();
  #timer: NodeJS.Timeout | undefined;

  /** `everyMs` in milliseconds. */
  constructor(private readonly everyMs = 15_000) {}

  add(beat: Beat): void {
    this.#beats.add(beat);
    this.#timer ??= setInterval(() => {
      for (const one of this.#beats) one();
    }, this.everyMs).unref();
  }

  delete(beat: Beat): void {
    this.#beats.delete(beat);
    if (this.#beats.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
