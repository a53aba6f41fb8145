import type { AgentDefinition, AgentRegistry, Logger } from '#core';
import { within } from '#core';

const WITHDRAW_MS = 1000;

/** Keeps this worker and its agents announced. While the store is away it goes on trying; nothing else depends on it. */
export class Presence {
  #timer: NodeJS.Timeout | undefined;
  #trying: Promise<void> | undefined;
  #announced = false;
  #lastTried: number;
  #lastSeen = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly registry: AgentRegistry,
    private readonly workerId: string,
    private readonly agents: readonly AgentDefinition[],
    private readonly heartbeatMs: number,
    private readonly logger: Logger,
    /** Monotonic, milliseconds. */
    private readonly now: () => number = () => performance.now(),
  ) {
    this.#lastTried = now();
  }

  /** When the last try ended, whatever its outcome. */
  get lastTried(): number {
    return this.#lastTried;
  }

  /** When the store last confirmed the announcement. */
  get lastSeen(): number {
    return this.#lastSeen;
  }

  /** Resolves after the first try. */
  async start(): Promise<void> {
    this.#timer = setInterval(() => void this.beat(), this.heartbeatMs);
    await this.beat();
  }

  /** Announces, or renews the announcement; joins the try that is under way. Never rejects. */
  beat(): Promise<void> {
    this.#trying ??= this.#beat().finally(() => {
      this.#lastTried = this.now();
      this.#trying = undefined;
    });
    return this.#trying;
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    // An announcement that is under way would follow the withdrawal.
    const withdrawn = Promise.resolve(this.#trying).then(() => this.registry.withdraw(this.workerId));
    await within(withdrawn, WITHDRAW_MS);
  }

  async #beat(): Promise<void> {
    try {
      const known = this.#announced && (await this.registry.heartbeat(this.workerId));
      if (!known) await this.registry.announce(this.workerId, this.agents);
      this.#announced = true;
      this.#lastSeen = this.now();
    } catch (err) {
      // What the store knew of this worker may be gone when it is back.
      if (this.#announced) this.logger.warn('The worker could not renew its announcement', { workerId: this.workerId, err });
      this.#announced = false;
    }
  }
}
