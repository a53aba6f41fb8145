import {
  Slots,
  ThrottledWarning,
  within,
  type Consumer,
  type ExecuteHint,
  type HintHandler,
  type HintOutcome,
  type Logger,
} from '#core';
import { DelayedError, WaitingError, type Job } from 'bullmq';
import { setTimeout as sleep } from 'node:timers/promises';
import { jobIds, parseJob } from './execute-job.js';
import type { OpenWorker, QueueServer } from './queue-server.js';
import { DEFAULT_WORKER_TIMES, workerSettings } from './worker-settings.js';

/** How long a hint stays away that only a worker of another release can read. */
const OTHER_VERSION_MS = 5000;
const CLOSE_MS = 1000;
const REOPEN_MS = 1000;
/** How long hints wait here for a slot before other processes may have them. */
const PATIENCE_MS = 50;
/** How long a consumer may take to be ready before it is handed out all the same. */
const START_MS = 500;

export interface ConsumerOptions {
  readonly name: string;
  readonly agentId: string;
  readonly concurrency: number;
  readonly handler: HintHandler;
  /** How long a hint stays away that was answered `later`. Milliseconds. */
  readonly laterMs: number;
  /** Gives hints to whoever takes them after a delay; at once, and before all others, when it is 0. */
  readonly putBack: (hints: readonly ExecuteHint[], delayMs: number) => Promise<void>;
  readonly logger: Logger;
}

/**
 * One agent's hints, handled as they come. A job is over when each of its hints has a slot, and the next one is taken when a
 * slot is free: whoever works on a task holds its lease, and a job that was held beside it would only say the same again.
 */
export class BullMqConsumer implements Consumer {
  readonly #slots: Slots;
  /** The slot of the next job's first hint: no job is taken without it. */
  #reserved: boolean;
  readonly #running = new Map<string, Promise<void>>();
  readonly #puttingBack = new Set<Promise<void>>();
  readonly #trouble: ThrottledWarning;
  readonly #opening: Promise<void>;
  #open: OpenWorker | undefined;
  /** Aborted when no further hints are to be taken. */
  readonly #paused = new AbortController();
  #closing: Promise<void> | undefined;

  constructor(
    private readonly server: QueueServer,
    private readonly options: ConsumerOptions,
  ) {
    this.#slots = new Slots(options.concurrency);
    this.#reserved = this.#slots.tryTake();
    this.#trouble = new ThrottledWarning(options.logger, 'The work queue has trouble; hints that it loses are given again');
    this.#opening = this.#start();
  }

  /** Resolves when hints are taken, or after 500 ms when the server is away; then they are taken once it is back. */
  async started(): Promise<void> {
    await within(this.#opening, START_MS);
  }

  async pause(): Promise<void> {
    this.#paused.abort();
    this.#slots.close();
    await this.#open?.worker.pause(true);
  }

  close(force = false): Promise<void> {
    this.#closing ??= this.#close(force);
    return this.#closing;
  }

  /** Resolves when what could not be taken up is with the server again, or is given up. */
  async puttingBack(): Promise<void> {
    await Promise.all(this.#puttingBack);
  }

  async #close(force: boolean): Promise<void> {
    await this.pause();
    if (!force) while (this.#running.size > 0) await Promise.all(this.#running.values());
    if (!this.#open) return;
    const { worker, disconnect } = this.#open;
    const closed = worker.close(force);
    const inTime = await within(closed, CLOSE_MS);
    disconnect();
    if (!inTime) await within(closed, CLOSE_MS);
  }

  /** A worker whose first connection failed never becomes usable: another one takes its place. */
  async #start(): Promise<void> {
    while (!this.#paused.signal.aborted) {
      let open: OpenWorker | undefined;
      try {
        open = this.#openWorker();
        await open.worker.waitUntilReady();
        if (!this.#paused.signal.aborted) open.worker.run().catch((err: unknown) => this.#warn(err));
        return;
      } catch (err) {
        this.#warn(err);
        if (this.#paused.signal.aborted) return;
        await open?.worker.close(true).catch((error: unknown) => this.#warn(error));
        open?.disconnect();
        await this.#rest(REOPEN_MS);
      }
    }
  }

  #openWorker(): OpenWorker {
    const settings = workerSettings(DEFAULT_WORKER_TIMES);
    const open = this.server.openWorker(this.options.name, (job, token) => this.#process(job, token), settings);
    open.worker.on('error', (err) => this.#warn(err));
    this.#open = open;
    return open;
  }

  async #process(job: Job<unknown>, token: string | undefined): Promise<void> {
    // What was already being fetched when the consumer was paused is for others.
    if (this.#paused.signal.aborted) return this.#returnJob(job, token, 0);
    const parsed = parseJob(job.data);
    if (parsed.kind === 'malformed') {
      this.options.logger.error('A malformed job was dropped', {
        agentId: this.options.agentId,
        jobId: job.id,
        reason: parsed.reason,
      });
      return;
    }
    if (parsed.kind === 'unknown-version') {
      this.#warn(new Error(`Job ${job.id} has version ${parsed.version}, which this release does not know; it was put back`));
      return this.#returnJob(job, token, OTHER_VERSION_MS);
    }
    await this.#takeUp(parsed.hints);
    this.#reserved ||= await this.#slots.take();
  }

  async #takeUp(hints: readonly ExecuteHint[]): Promise<void> {
    for (const [n, hint] of hints.entries()) {
      const [id] = jobIds(hint);
      // A repetition of what is being handled here, and will be for as long as it takes.
      if (this.#running.has(id)) continue;
      if (!(await this.#takeSlot())) return this.#putBack(hints.slice(n), 0);
      const handling = this.#handle(hint).then((outcome) => {
        this.#running.delete(id);
        return this.#afterwards(hint, outcome);
      });
      this.#running.set(id, handling);
    }
  }

  /** False when no slot came free in time, or none is given any more. */
  async #takeSlot(): Promise<boolean> {
    if (this.#reserved) {
      this.#reserved = false;
      return true;
    }
    if (this.#slots.tryTake()) return true;
    const taking = this.#slots.take();
    if (await within(taking, PATIENCE_MS)) return taking;
    void taking.then((taken) => taken && this.#slots.give());
    return false;
  }

  /** The slot of what was answered `later` takes nothing else meanwhile: a process that cannot work leaves hints to others. */
  async #afterwards(hint: ExecuteHint, outcome: HintOutcome): Promise<void> {
    const { laterMs } = this.options;
    if (outcome === 'later') {
      await this.#putBack([hint], this.#paused.signal.aborted ? 0 : laterMs);
      await this.#rest(laterMs);
    }
    this.#slots.give();
  }

  async #handle(hint: ExecuteHint): Promise<HintOutcome> {
    const { agentId, handler, logger } = this.options;
    try {
      return await handler(hint);
    } catch (err) {
      logger.error('The handler of a hint failed', { agentId, taskId: hint.taskId, err });
      return 'done';
    }
  }

  /** Never rejects: what cannot be put back is hinted again by whoever finds it in the store. */
  async #putBack(hints: readonly ExecuteHint[], delayMs: number): Promise<void> {
    const putting = this.options.putBack(hints, delayMs).catch((err: unknown) => this.#warn(err));
    this.#puttingBack.add(putting);
    await putting.finally(() => this.#puttingBack.delete(putting));
  }

  /** Ends the processing of a job by moving it; BullMQ learns from the error that it is not to complete it. */
  async #returnJob(job: Job, token: string | undefined, delayMs: number): Promise<never> {
    try {
      if (delayMs === 0) await job.moveToWait(token);
      else await job.moveToDelayed(Date.now() + delayMs, token);
    } catch (err) {
      this.#warn(err);
    }
    throw delayMs === 0 ? new WaitingError() : new DelayedError();
  }

  async #rest(milliseconds: number): Promise<void> {
    await sleep(milliseconds, undefined, { signal: this.#paused.signal }).catch(() => undefined);
  }

  #warn(err: unknown): void {
    this.#trouble.warn({ agentId: this.options.agentId, err });
  }
}
