import type { SharedPlaces } from '../ports/shared-places.js';
import type { CountingServer } from './counting-server.js';

export interface ReplicaPlacesOptions {
  /** Names this process among the replicas. */
  readonly holder: string;
  /** How long the places of a process that died stay taken, in milliseconds. */
  readonly ttlMs?: number;
  /** How often a process says which places it has, in milliseconds. */
  readonly renewMs?: number;
}

const TTL_MS = 6000;
/** Two may be lost. */
const RENEW_MS = 2000;

interface Waiting {
  readonly most: number;
  answer(admitted: boolean): void;
}

/** What this process knows of one key. */
interface Hold {
  held: number;
  waiting: Waiting[];
  /** The server has not been told of a place that came back. */
  changed: boolean;
  /** What the server is being told now. */
  telling: Promise<void> | undefined;
}

/**
 * The places of one replica: an exact count of its own by key, of which the server is told. One question a key is under way at a time, and
 * those who come meanwhile share the next: a burst costs two round trips. While the server does not answer this replica counts alone.
 */
export class ReplicaPlaces {
  readonly #holds = new Map<string, Hold>();
  readonly #holder: string;
  readonly #ttlMs: number;
  readonly #timer: NodeJS.Timeout;

  constructor(
    private readonly shared: SharedPlaces,
    private readonly server: CountingServer,
    { holder, ttlMs = TTL_MS, renewMs = RENEW_MS }: ReplicaPlacesOptions,
  ) {
    this.#holder = holder;
    this.#ttlMs = ttlMs;
    this.#timer = setInterval(() => this.#renew(), renewMs).unref();
  }

  /** Takes one of `most` places of `key`; false when none is left. Each that was taken is to be released once. */
  take(key: string, most: number): Promise<boolean> {
    let hold = this.#holds.get(key);
    if (!hold) this.#holds.set(key, (hold = { held: 0, waiting: [], changed: false, telling: undefined }));
    const { waiting } = hold;
    return new Promise((answer) => {
      waiting.push({ most, answer });
      this.#tell(key, hold);
    });
  }

  /** Gives a place back, at once for the other replicas too. */
  release(key: string): void {
    const hold = this.#holds.get(key);
    if (!hold) return;
    hold.held -= 1;
    hold.changed = true;
    this.#tell(key, hold);
  }

  /** Waits until the server knows what was released. What is still taken is given back. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    while (this.#underWay().length > 0) await Promise.all(this.#underWay());
    const places = [...this.#holds.keys()].map((key) => [key, 0] as const);
    if (places.length > 0) await this.server.ask(() => this.#renewAt(places));
    this.#holds.clear();
  }

  #underWay(): Promise<void>[] {
    return [...this.#holds.values()].flatMap(({ telling }) => telling ?? []);
  }

  #tell(key: string, hold: Hold): void {
    if (hold.telling) return;
    if (hold.waiting.length === 0 && !hold.changed) {
      if (hold.held === 0) this.#holds.delete(key);
      return;
    }
    hold.telling = this.#claim(key, hold).then(() => {
      hold.telling = undefined;
      this.#tell(key, hold);
    });
  }

  async #claim(key: string, hold: Hold): Promise<void> {
    // Whoever takes or releases in this turn of the event loop is part of the question.
    await Promise.resolve();
    const { held, waiting } = hold;
    hold.waiting = [];
    hold.changed = false;
    const most = waiting.at(-1)?.most ?? 0;
    const claim = { key, holder: this.#holder, held, wanted: waiting.length, most, ttlMs: this.#ttlMs };
    const granted = await this.server.ask(() => this.shared.claim(claim));
    const places = granted ?? Math.min(waiting.length, Math.max(0, most - hold.held));
    hold.held += places;
    waiting.forEach(({ answer }, i) => answer(i < places));
  }

  /** Of keys that are told of now the server knows anyway. */
  #renew(): void {
    const idle = [...this.#holds].filter(([, { telling }]) => !telling);
    if (idle.length === 0) return;
    const told = this.server.ask(() => this.#renewAt(idle.map(([key, { held }]) => [key, held] as const)));
    for (const [key, hold] of idle) {
      hold.telling = told.then(() => {
        hold.telling = undefined;
        this.#tell(key, hold);
      });
    }
  }

  async #renewAt(places: readonly (readonly [string, number])[]): Promise<true> {
    await this.shared.renew({ holder: this.#holder, places, ttlMs: this.#ttlMs });
    return true;
  }
}
