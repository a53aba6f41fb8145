import type { Struct } from '#protocol';
import type { Logger } from '../logger.js';
import type { EventBus, Subscription } from '../ports/event-bus.js';
import type { Fence, HeartbeatAnswer, TurnStore } from '../ports/turn-store.js';
import { ThrottledWarning } from './throttled-warning.js';

/**
 * - `fenced`: the store says that the lease is not ours.
 * - `paused`: the process did not run for so long that it may be another's.
 * - `outage`: the store has not answered for so long that nobody waits any more.
 */
export type LeaseLoss = 'fenced' | 'paused' | 'outage';

/** Whoever computes under a lease. */
export interface LeaseHolder {
  readonly fence: Fence;
  /** The lease is gone, or must be taken for gone: stop, record nothing more. */
  onLeaseLost(why: LeaseLoss): void;
  onCancelRequested(metadata: Struct | undefined): void;
}

export interface LeaseKeeperOptions {
  readonly workerId: string;
  readonly leaseMs: number;
  readonly heartbeatMs: number;
  /** How long turns go on computing while the store does not answer, in milliseconds. */
  readonly outageMs: number;
}

const MAX_BEATS_IN_FLIGHT = 2;
const RETRY_MS = 500;

/**
 * Renews the leases of one worker, in one statement.
 *
 * A worker whose leases may have expired without its knowing aborts its turns without asking. Only one that was paused can be
 * wrong about who owns the task:
 * - A paused process (no turn of its event loop for longer than lease − heartbeat, and none that renewed for a lease) sent no
 *   renewal while others could reach the store: its leases may have been reaped and claimed anew. It aborts its turns before it
 *   does anything else.
 * - A live process whose renewals hang or fail shares the outage with everyone. Nobody can reap or claim in it, and after
 *   it a sweeper must see a lease expired twice, one heartbeat apart; the renewal that is retried all along is there first.
 *   So its turns go on, as 50 turns must over 30 s of a frozen database, and the fence still refuses whatever is wrong.
 * An outage beyond `outageMs` ends them all the same: computing what may never be recorded is not worth more.
 */
export class LeaseKeeper {
  readonly #holders = new Map<string, LeaseHolder>();
  readonly #failed: ThrottledWarning;
  #timer: NodeJS.Timeout | undefined;
  #subscription: Subscription | undefined;
  #subscribing: Promise<void> | undefined;
  #lastListened = Number.NEGATIVE_INFINITY;
  #lastTick = 0;
  #lastSent = Number.NEGATIVE_INFINITY;
  #lastRenewed = 0;
  #failing = false;
  #beatAgain = false;
  #stopped = false;
  readonly #beats = new Set<Promise<void>>();

  constructor(
    private readonly store: Pick<TurnStore, 'heartbeat'>,
    private readonly bus: Pick<EventBus, 'subscribe'>,
    private readonly logger: Logger,
    private readonly options: LeaseKeeperOptions,
    /** Monotonic, milliseconds; goes on while the process is stopped. */
    private readonly now: () => number = () => performance.now(),
  ) {
    this.#failed = new ThrottledWarning(logger, 'Leases could not be renewed; turns go on while the store may be back');
  }

  /** When the store last answered a renewal, in milliseconds of the monotonic clock. */
  get lastRenewed(): number {
    return this.#lastRenewed;
  }

  start(): void {
    this.#lastTick = this.#lastRenewed = this.now();
    this.#timer = setInterval(() => this.#tick(), Math.min(RETRY_MS, this.options.heartbeatMs));
    this.#listen();
  }

  /** Keep the lease of `holder` until `release`. A task has at most one lease here. */
  hold(holder: LeaseHolder): void {
    if (this.#holders.size === 0) this.#lastRenewed = this.now();
    const before = this.#holders.get(holder.fence.taskId);
    this.#holders.set(holder.fence.taskId, holder);
    // Whoever claimed the task anew ended the lease of the one that computes on it still.
    before?.onLeaseLost('fenced');
  }

  release(holder: LeaseHolder): void {
    if (this.#holders.get(holder.fence.taskId) === holder) this.#holders.delete(holder.fence.taskId);
  }

  /** Renews now, and hears of cancels; once more when a renewal is under way that may have missed what is asked for. */
  beat(): void {
    if (this.#stopped || this.#holders.size === 0) return;
    if (this.#beats.size > 0) this.#beatAgain = true;
    else this.#send();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearInterval(this.#timer);
    await this.#subscribing;
    await this.#subscription?.close().catch(() => undefined);
  }

  #tick(): void {
    const now = this.now();
    const gap = now - this.#lastTick;
    this.#lastTick = now;
    const { leaseMs, heartbeatMs, outageMs } = this.options;
    const paused = gap > leaseMs - heartbeatMs && now - this.#lastRenewed >= leaseMs;
    if (paused) return this.#abortAll('paused', 'The process was paused', { gap });
    if (!this.#subscription && now - this.#lastListened >= heartbeatMs) this.#listen();
    if (this.#holders.size === 0) return;
    if (now - this.#lastRenewed > outageMs) return this.#abortAll('outage', 'The store is away for too long', {});
    const due = now - this.#lastSent >= heartbeatMs || this.#failing;
    if (due && this.#beats.size < MAX_BEATS_IN_FLIGHT) this.#send();
  }

  #send(): void {
    const beat = this.#renew().finally(() => {
      this.#beats.delete(beat);
      if (!this.#beatAgain) return;
      this.#beatAgain = false;
      this.beat();
    });
    this.#beats.add(beat);
  }

  async #renew(): Promise<void> {
    const sent = this.now();
    this.#lastSent = sent;
    // A retry follows at the next tick unless this one hangs; then the next is due by the interval.
    this.#failing = false;
    const fences = [...this.#holders.values()].map(({ fence }) => fence);
    try {
      const answers = await this.store.heartbeat(this.options.workerId, fences, this.options.leaseMs);
      this.#lastRenewed = Math.max(this.#lastRenewed, sent);
      this.#failing = false;
      for (const answer of answers) this.#tell(answer);
    } catch (err) {
      this.#failing = true;
      this.#failed.warn({ leases: fences.length, err });
    }
  }

  #tell(answer: HeartbeatAnswer): void {
    const holder = this.#holders.get(answer.taskId);
    if (!holder || holder.fence.epoch !== answer.epoch) return;
    if (answer.status === 'cancel') return holder.onCancelRequested(answer.cancelMetadata);
    this.release(holder);
    holder.onLeaseLost('fenced');
  }

  #abortAll(why: LeaseLoss, reason: string, fields: { gap?: number }): void {
    if (this.#holders.size === 0) return;
    this.logger.warn(`${reason}: its turns are aborted`, { ...fields, leases: this.#holders.size });
    const holders = [...this.#holders.values()];
    this.#holders.clear();
    for (const holder of holders) holder.onLeaseLost(why);
  }

  /** A nudge makes a cancel arrive at once; without one the next heartbeat brings it. */
  #listen(): void {
    if (this.#subscribing || this.#stopped) return;
    this.#lastListened = this.now();
    const listener = { onMessage: () => this.beat(), onResubscribed: () => this.beat() };
    this.#subscribing = this.bus
      .subscribe(`worker:${this.options.workerId}`, listener)
      .then((subscription) => void (this.#subscription = subscription))
      .catch((err: unknown) => this.logger.debug('Cancel nudges are not heard now', { err }))
      .finally(() => (this.#subscribing = undefined));
  }
}
