import type { DatabaseClock } from '../execution/database-clock.js';
import type { EventPublisher } from '../execution/event-publisher.js';
import { endingStatus, hostMessage } from '../execution/status-event.js';
import { ThrottledWarning } from '../execution/throttled-warning.js';
import type { TaskRunner } from '../execution/task-runner.js';
import type { Logger } from '../logger.js';
import type { ExpiredLease, ReconcileStore } from '../ports/reconcile-store.js';
import type { ExecuteHint, WorkQueue } from '../ports/work-queue.js';
import { ExpiredSightings } from './expired-sightings.js';
import { Retention, type RetentionTimes } from './retention.js';

export interface ReconcilerParts {
  readonly store: ReconcileStore;
  readonly queue: Pick<WorkQueue, 'enqueue' | 'healthy'>;
  readonly publisher: EventPublisher;
  readonly clock: Pick<DatabaseClock, 'now'>;
  readonly logger: Logger;
  /** Takes up work at once when it cannot be queued; absent in a process that hosts no agents. */
  readonly runner?: Pick<TaskRunner, 'tryRun'>;
}

export interface ReconcilerOptions extends RetentionTimes {
  readonly sweepMs: number;
  readonly heartbeatMs: number;
  readonly cancelGraceMs: number;
}

const BATCH = 200;
/** All at once, so that after the loss of many workers nobody waits for the sightings of others. */
const EXPIRED = 2000;
/** A hint that was not taken up within this time is given again. */
const HINT_BACKOFF_MS = 5000;
/** The search reads all that is pending. However large a backlog, each reconciler is at it for a tenth of its time at most. */
const REST_AFTER_HINTS = 9;
const OUTAGE_HEARTBEATS = 3;

/** Reads the store and repairs what signals, queues and processes lost. There is no other recovery. */
export class Reconciler {
  readonly #sightings: ExpiredSightings;
  readonly #failed: ThrottledWarning;
  readonly #retention: Retention;
  #timer: NodeJS.Timeout | undefined;
  #sweeping: Promise<void> | undefined;
  #lastSwept = 0;
  #nextHints = Number.NEGATIVE_INFINITY;
  #closed = false;

  constructor(
    private readonly parts: ReconcilerParts,
    private readonly options: ReconcilerOptions,
    /** Monotonic, milliseconds. */
    private readonly now: () => number = () => performance.now(),
  ) {
    this.#sightings = new ExpiredSightings(
      options.heartbeatMs,
      OUTAGE_HEARTBEATS * Math.max(options.heartbeatMs, options.sweepMs),
    );
    this.#failed = new ThrottledWarning(parts.logger, 'A sweep could not do its work; the next one tries again');
    this.#retention = new Retention(parts.store, options, parts.logger, this.#failed, now);
  }

  /** When the last sweep ended, in milliseconds of the monotonic clock. */
  get lastSwept(): number {
    return this.#lastSwept;
  }

  start(): void {
    this.#lastSwept = this.now();
    this.#schedule();
  }

  /** One sweep; joins the one that is under way. Never rejects. */
  sweep(): Promise<void> {
    this.#sweeping ??= this.#sweep().finally(() => (this.#sweeping = undefined));
    return this.#sweeping;
  }

  /** No sweep starts any more; waits for the running one, and for a purge that is under way. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await Promise.all([this.#sweeping, this.#retention.close()]);
  }

  #schedule(): void {
    if (this.#closed) return;
    // Many workers sweep; jitter keeps them from doing so in step.
    const delay = this.options.sweepMs * (0.8 + Math.random() * 0.4);
    this.#timer = setTimeout(() => void this.sweep().then(() => this.#schedule()), delay);
  }

  async #sweep(): Promise<void> {
    await this.#attempt('reap', () => this.#reap());
    await this.#attempt('cancel', () => this.#finishCancels());
    await this.#attempt('hint', () => this.#hintPending());
    // Not waited for: a purge may take longer than a lease.
    void this.#retention.run();
    this.#lastSwept = this.now();
  }

  async #attempt(step: string, work: () => Promise<void>): Promise<void> {
    try {
      if (!this.#closed) await work();
    } catch (err) {
      this.#failed.warn({ step, err });
    }
  }

  async #hintPending(): Promise<void> {
    // Taking marks a task as hinted. While the queue is away that would only hide it from those who claim directly.
    if (!(await this.parts.queue.healthy())) return;
    const sent = this.now();
    if (sent < this.#nextHints) return;
    const works = await this.parts.store.takePending({ backoffMs: HINT_BACKOFF_MS, limit: BATCH });
    this.#nextHints = this.now() + REST_AFTER_HINTS * (this.now() - sent);
    await this.#hint(works.map((work) => ({ ...work, again: true })));
  }

  async #reap(): Promise<void> {
    const { store } = this.parts;
    const sent = this.now();
    const expired = await store.expiredLeases(EXPIRED);
    const leases = this.#sightings.see(expired, sent, this.now());
    for (let from = 0; from < leases.length; from += BATCH) await this.#end(leases.slice(from, from + BATCH));
  }

  async #end(leases: readonly ExpiredLease[]): Promise<void> {
    const { store, clock, logger } = this.parts;
    const at = clock.now();
    const reaped = await store.reap(
      leases.map((lease) => ({
        lease,
        failed: endingStatus(lease, at, { message: hostMessage(lease, LOST_PROCESS) }),
        canceled: endingStatus(lease, at),
      })),
    );
    const origins = new Map(leases.map(({ taskId, origin }) => [taskId, origin]));
    for (const { taskId, agentId, turn, event } of reaped) {
      logger.warn('The lease of a worker that disappeared was ended', { agentId, taskId, turn, state: event?.state });
      if (event) this.parts.publisher.publish(origins.get(taskId) as string, taskId, [event]);
    }
    await this.#hint(
      reaped.flatMap(({ event, taskId, agentId, turn, epoch }) => (event ? [] : [{ taskId, agentId, turn, epoch }])),
    );
  }

  async #finishCancels(): Promise<void> {
    const { store, clock, publisher } = this.parts;
    const overdue = await store.overdueCancels(this.options.cancelGraceMs, BATCH);
    if (overdue.length === 0) return;
    const at = clock.now();
    const events = await store.finishCancels(
      overdue.map((cancel) => ({ cancel, canceled: endingStatus(cancel, at) })),
      this.options.cancelGraceMs,
    );
    const origins = new Map(overdue.map(({ taskId, origin }) => [taskId, origin]));
    for (const event of events) publisher.publish(origins.get(event.taskId) as string, event.taskId, [event]);
  }

  async #hint(hints: readonly ExecuteHint[]): Promise<void> {
    if (hints.length === 0) return;
    try {
      await this.parts.queue.enqueue(hints);
    } catch (err) {
      const here = hints.filter((hint) => this.parts.runner?.tryRun(hint));
      this.#failed.warn({ step: 'enqueue', hints: hints.length, takenUpHere: here.length, err });
    }
  }
}

const LOST_PROCESS = 'The process that ran this task disappeared, and the agent allows no further attempt';
