import type { PushHints } from '../execution/event-publisher.js';
import { ThrottledWarning } from '../execution/throttled-warning.js';
import { within } from '../execution/within.js';
import type { Logger } from '../logger.js';
import type { EventBus, Subscription } from '../ports/event-bus.js';
import type { NotificationSender } from '../ports/notification-sender.js';
import type { PushClaim, PushDeliveryStore, WaitingPush } from '../ports/push-delivery-store.js';
import { ConfigDelivery } from './config-delivery.js';
import { HintedTasks } from './hinted-tasks.js';
import { PushLeases } from './push-leases.js';
import { Receivers } from './receivers.js';

export interface PushDispatcherParts {
  readonly store: PushDeliveryStore;
  readonly sender: NotificationSender;
  readonly bus: Pick<EventBus, 'subscribe'>;
  readonly logger: Logger;
}

export interface PushDispatcherOptions {
  readonly workerId: string;
  readonly sweepMs: number;
  /** How long a configuration is kept by a process that has disappeared, and how often a living one says that it is there. */
  readonly leaseMs: number;
  readonly heartbeatMs: number;
  /** A configuration that has failed for longer is given up. */
  readonly maxAgeMs: number;
  /** Attempts at a time, to one receiver and to all. */
  readonly perReceiver?: number;
  readonly total?: number;
}

const PER_RECEIVER = 16;
const TOTAL = 256;
const TASKS_PER_CLAIM = 200;
/** A sweep reads all that is owed. However much that is, each dispatcher is at it for a tenth of its time at most. */
const REST_AFTER_SWEEP = 9;
/** After a stop that aborts attempts: releasing their leases. */
const RELEASE_MS = 1000;

/**
 * Delivers push notifications. The truth is the log: what follows a configuration's cursor is owed to it. A hint only says where to
 * look first, and the sweep finds what no hint told of. Many dispatchers share the work by leases.
 */
export class PushDispatcher implements PushHints {
  readonly #receivers: Receivers;
  readonly #tasks: HintedTasks;
  readonly #running = new Set<Promise<void>>();
  readonly #leases: PushLeases;
  readonly #total: number;
  readonly #failed: ThrottledWarning;
  readonly #unclaimed: ThrottledWarning;
  #timer: NodeJS.Timeout | undefined;
  #claiming: Promise<void> | undefined;
  #subscription: Subscription | undefined;
  #subscribing: Promise<void> | undefined;
  #sweepDue = true;
  #nextSweep = Number.NEGATIVE_INFINITY;
  #lastSwept = 0;
  #closed = false;

  constructor(
    private readonly parts: PushDispatcherParts,
    private readonly options: PushDispatcherOptions,
    /** Monotonic, milliseconds. */
    private readonly now: () => number = () => performance.now(),
  ) {
    this.#total = options.total ?? TOTAL;
    this.#receivers = new Receivers({ perReceiver: options.perReceiver ?? PER_RECEIVER, total: this.#total }, now);
    this.#tasks = new HintedTasks(() => this.#pump());
    this.#failed = new ThrottledWarning(parts.logger, 'A push notification could not be delivered; it is tried again');
    const unrenewed = new ThrottledWarning(parts.logger, 'The leases of push notifications under way could not be renewed');
    this.#leases = new PushLeases(parts.store, options, unrenewed);
    this.#unclaimed = new ThrottledWarning(parts.logger, 'Push notifications that are owed could not be looked for');
  }

  /** When it last looked for work, in milliseconds of the monotonic clock. */
  get lastSwept(): number {
    return this.#lastSwept;
  }

  start(): void {
    this.#lastSwept = this.now();
    this.#leases.start();
    this.#tick();
  }

  hint(taskId: string): boolean {
    if (this.#closed || this.#running.size >= this.#total) return false;
    this.#tasks.add(taskId);
    return true;
  }

  /** Claims nothing more; attempts that run have `graceMs` to end, and are abandoned then. Their leases are released. */
  async close(graceMs: number): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#tasks.close();
    await this.#subscribing;
    await this.#subscription?.close().catch(() => undefined);
    await this.#claiming;
    if (!(await within(this.#settled(), graceMs))) {
      this.#leases.abandon();
      await within(this.#settled(), RELEASE_MS);
    }
    await this.#leases.close();
  }

  async #settled(): Promise<void> {
    await Promise.all(this.#running);
  }

  #tick(): void {
    if (this.#closed) return;
    if (!this.#subscription) this.#listen();
    this.#sweepDue = true;
    // A receiver that was left alone may be tried again.
    this.#tasks.releaseAll();
    this.#pump();
    this.#timer = setTimeout(() => this.#tick(), this.options.sweepMs * (0.8 + Math.random() * 0.4));
  }

  /** One statement at a time; what is hinted meanwhile goes with the next. */
  #pump(): void {
    if (this.#claiming || this.#closed) return;
    const free = this.#total - this.#running.size;
    if (free <= 0) return;
    const sweeps = this.#sweepDue && this.now() >= this.#nextSweep;
    if (!sweeps && this.#tasks.size === 0) return;
    this.#claiming = (sweeps ? this.#sweep(free) : this.#claimHinted(free))
      .catch((err: unknown) => this.#unclaimed.warn({ err }))
      .finally(() => {
        this.#claiming = undefined;
        this.#pump();
      });
  }

  async #sweep(free: number): Promise<void> {
    this.#sweepDue = false;
    const sent = this.now();
    try {
      await this.#claim(free);
    } finally {
      this.#lastSwept = this.now();
      this.#nextSweep = this.#lastSwept + REST_AFTER_SWEEP * (this.#lastSwept - sent);
    }
  }

  async #claimHinted(free: number): Promise<void> {
    const taskIds = this.#tasks.take(TASKS_PER_CLAIM);
    if (taskIds.length > 0) await this.#claim(free, taskIds);
  }

  async #claim(free: number, taskIds?: readonly string[]): Promise<void> {
    const { store } = this.parts;
    const { claims, waiting } = await store.claimDue({
      owner: this.options.workerId,
      leaseMs: this.options.leaseMs,
      limit: free,
      perReceiver: this.#receivers.share(free),
      rooms: this.#receivers.rooms(free),
      ...(taskIds ? { taskIds } : {}),
    });
    for (const claim of claims) this.#begin(claim);
    for (const one of waiting) this.#wait(one);
  }

  /** Its holder looks once more before it lets go; only what came while it did so may be missed, and is seen by a second look. */
  #wait({ taskId, receiver, leased }: WaitingPush): void {
    if (leased) this.#tasks.lookAgain(taskId);
    else this.#tasks.hold(taskId, receiver);
  }

  #begin(claim: PushClaim): void {
    const { store, sender, logger } = this.parts;
    const { receiver, fence } = claim;
    this.#receivers.begin(receiver);
    const lease = this.#leases.hold(fence);
    const parts = { store, sender, logger, receivers: this.#receivers, failed: this.#failed };
    const delivery = new ConfigDelivery(claim, parts, this.options, lease.signal);
    const running = delivery.run().then(({ more, delivered }) => {
      this.#running.delete(running);
      lease.release();
      this.#receivers.end(receiver);
      if (more) this.#tasks.add(fence.taskId);
      // An agent that reports progress, which is for nobody, is not followed step by step.
      else if (delivered === 0) this.#tasks.rest(fence.taskId);
      this.#tasks.release(receiver);
      this.#pump();
    });
    this.#running.add(running);
  }

  #listen(): void {
    if (this.#subscribing) return;
    const listener = {
      onMessage: ({ taskId }: { readonly taskId: string }) => this.#tasks.add(taskId),
      onResubscribed: () => {
        this.#sweepDue = true;
        this.#pump();
      },
    };
    this.#subscribing = this.parts.bus
      .subscribe('push', listener)
      .then((subscription) => void (this.#subscription = subscription))
      .catch((err: unknown) => this.parts.logger.debug('Hints of push notifications are not heard now', { err }))
      .finally(() => (this.#subscribing = undefined));
  }
}
