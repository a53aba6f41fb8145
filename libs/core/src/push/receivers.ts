import { backOffMs } from './back-off.js';

/** Failures in a row after which a receiver is left alone for a while. */
const OPENS_AFTER = 5;
const OPEN = { firstMs: 1000, mostMs: 60_000 };
/** What is known of a receiver that nobody has asked for since then is of no use. */
const FORGOTTEN_AFTER_MS = 600_000;

interface Receiver {
  running: number;
  /** Since it was well. */
  failures: number;
  /** How often it was left alone since it was well. */
  openings: number;
  openUntil: number;
  usedAt: number;
}

/**
 * How many notifications each receiver may be sent at a time. A receiver that fails again and again is left alone, then tried with
 * one, which decides: thousands of configurations of a dead host cost it, and us, one request now and then.
 */
export class Receivers {
  readonly #known = new Map<string, Receiver>();

  constructor(
    private readonly most: { readonly perReceiver: number; readonly total: number },
    /** Monotonic, milliseconds. */
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Room for a receiver that nothing is known of. The last free places are dealt out thinly: a few slow receivers must not hold them all. */
  share(free: number): number {
    return Math.min(this.most.perReceiver, Math.ceil(free / 4));
  }

  /** Room of each receiver that has less than `share`; 0 for one that is left alone. */
  rooms(free: number): Map<string, number> {
    const rooms = new Map<string, number>();
    const share = this.share(free);
    for (const [name, receiver] of this.#known) {
      if (receiver.running === 0 && this.now() - receiver.usedAt > FORGOTTEN_AFTER_MS) this.#known.delete(name);
      const room = Math.min(share, this.#mayHave(receiver)) - receiver.running;
      if (room < share) rooms.set(name, Math.max(0, room));
    }
    return rooms;
  }

  begin(name: string): void {
    this.#of(name).running += 1;
  }

  end(name: string): void {
    const receiver = this.#of(name);
    receiver.running -= 1;
    if (receiver.running === 0 && receiver.failures === 0) this.#known.delete(name);
  }

  well(name: string): void {
    Object.assign(this.#of(name), { failures: 0, openings: 0, openUntil: 0 });
  }

  ill(name: string): void {
    const receiver = this.#of(name);
    receiver.failures += 1;
    // What was under way when it was left alone says nothing new.
    if (receiver.failures < OPENS_AFTER || this.now() < receiver.openUntil) return;
    receiver.openings += 1;
    receiver.openUntil = this.now() + backOffMs(receiver.openings, OPEN);
  }

  #mayHave({ failures, openUntil }: Receiver): number {
    if (failures < OPENS_AFTER) return this.most.perReceiver;
    return this.now() < openUntil ? 0 : 1;
  }

  #of(name: string): Receiver {
    let receiver = this.#known.get(name);
    if (!receiver) this.#known.set(name, (receiver = { running: 0, failures: 0, openings: 0, openUntil: 0, usedAt: 0 }));
    receiver.usedAt = this.now();
    return receiver;
  }
}
