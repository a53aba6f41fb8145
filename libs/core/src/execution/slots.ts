/** How many turns of one agent may run here at a time. */
export class Slots {
  #free: number;
  #waiting: ((granted: boolean) => void)[] = [];
  #closed = false;

  constructor(readonly size: number) {
    this.#free = size;
  }

  get free(): number {
    return this.#closed ? 0 : this.#free;
  }

  /** Takes a slot if there is one now. */
  tryTake(): boolean {
    if (this.#closed || this.#free === 0) return false;
    this.#free -= 1;
    return true;
  }

  /** Resolves with true once a slot is taken, with false when no more are given. */
  async take(): Promise<boolean> {
    if (this.#closed) return false;
    if (this.tryTake()) return true;
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  give(): void {
    const next = this.#waiting.shift();
    if (next) next(true);
    else this.#free += 1;
  }

  close(): void {
    this.#closed = true;
    for (const refuse of this.#waiting.splice(0)) refuse(false);
  }
}
