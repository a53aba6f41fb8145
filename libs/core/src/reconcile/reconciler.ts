import type { DatabaseClock } from '../execution/database-clock.js';
import type { EventPublisher } from '../execution/event-publisher.js';
import { endingStatus, hostMessage } from '../execution/status-event.js';
import { ThrottledWarning } from '../execution/throttled-warning.js';
import type { TaskRunner } from '../execution/task-runner.js';
import type { Logger } from '../logger.js';
import type { ReconcileStore } from '../ports/reconcile-store.js';
import type { ExecuteHint, WorkQueue } from '../ports/work-queue.js';
import { ExpiredSightings } from './expired-sightings.js';

export interface ReconcilerParts {
  readonly store: ReconcileStore;
  readonly queue: Pick<WorkQueue, 'enqueue' | 'healthy'>;
  readonly publisher: EventPublisher;
  readonly clock: Pick<DatabaseClock, 'now'>;
  readonly logger: Logger;
  /** Takes up work at once when it cannot be queued; absent in a process that hosts no agents. */
  readonly runner?: Pick<TaskRunner, 'tryRun'>;
}

export interface ReconcilerOptions {
  readonly sweepMs: number;
  readonly heartbeatMs: number;
  readonly cancelGraceMs: number;
  /** Terminal tasks older than this are deleted; absent keeps them. */
  readonly retentionMs?: number;
}

const BATCH = 200;
/** A hint that was not taken up within this time is given again. */
const HINT_BACKOFF_MS = 5000;
const PURGE_EVERY_MS = 60_000;
const PURGE_BATCH = 500;
const PURGE_BATCHES = 20;
const OUTAGE_HEARTBEATS = 3;

/** Reads the store and repairs what signals, queues and processes lost. There is no other recovery. */
export class Reconciler {
  readonly #sightings: ExpiredSightings;
  readonly #failed: ThrottledWarning;
  #timer: NodeJS.Timeout | undefined;
  #sweeping: Promise<void> | undefined;
  #lastPurge = Number.NEGATIVE_INFINITY;
  #lastSwept = 0;
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

  /** No sweep starts any more; waits for the running one. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#sweeping;
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
    await this.#attempt('purge', () => this.#purge());
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
    await this.#hint(await this.parts.store.takePending({ backoffMs: HINT_BACKOFF_MS, limit: BATCH }));
  }

  async #reap(): Promise<void> {
    const { store, clock, logger } = this.parts;
    const sent = this.now();
    const expired = await store.expiredLeases(BATCH);
    const leases = this.#sightings.see(expired, sent, this.now());
    if (leases.length === 0) return;
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
    await this.#hint(reaped.filter(({ event }) => !event));
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

  async #hint(works: readonly ExecuteHint[]): Promise<void> {
    if (works.length === 0) return;
    const hints = works.map(({ agentId, taskId, turn, epoch, repeat }) => ({
      ...{ agentId, taskId, turn, epoch },
      ...(repeat === undefined ? {} : { repeat }),
    }));
    try {
      await this.parts.queue.enqueue(hints);
    } catch (err) {
      const here = hints.filter((hint) => this.parts.runner?.tryRun(hint));
      this.#failed.warn({ step: 'enqueue', hints: hints.length, takenUpHere: here.length, err });
    }
  }

  async #purge(): Promise<void> {
    if (this.now() - this.#lastPurge < PURGE_EVERY_MS) return;
    this.#lastPurge = this.now();
    let purged = 0;
    for (let batch = 0; batch < PURGE_BATCHES && !this.#closed; batch += 1) {
      const deleted = await this.parts.store.purge(this.options.retentionMs, PURGE_BATCH);
      purged += deleted;
      if (deleted < PURGE_BATCH) break;
    }
    if (purged > 0) this.parts.logger.info('Tasks past their retention were deleted', { purged });
  }
}

const LOST_PROCESS = 'The process that ran this task disappeared, and the agent allows no further attempt';
