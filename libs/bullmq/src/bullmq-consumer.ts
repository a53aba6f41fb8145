import { ThrottledWarning, within, type Consumer, type HintHandler, type HintOutcome, type Logger } from '#core';
import { DelayedError, WaitingError, type Job } from 'bullmq';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseJob } from './execute-job.js';
import type { OpenWorker, QueueServer } from './queue-server.js';
import { DEFAULT_WORKER_TIMES, workerSettings } from './worker-settings.js';

/** How long a hint stays away that only a worker of another release can read. */
const OTHER_VERSION_MS = 5000;
const CLOSE_MS = 1000;
const REOPEN_MS = 1000;
/** How long a consumer may take to be ready before it is handed out all the same. */
const START_MS = 500;

export interface ConsumerOptions {
  readonly name: string;
  readonly agentId: string;
  readonly concurrency: number;
  readonly handler: HintHandler;
  /** How long a hint stays away that was answered `later`. Milliseconds. */
  readonly laterMs: number;
  readonly logger: Logger;
}

/** One agent's hints, handled as they come. Whatever becomes of a job's lock: the store decides who works on a task. */
export class BullMqConsumer implements Consumer {
  readonly #running = new Set<Promise<unknown>>();
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
    this.#trouble = new ThrottledWarning(options.logger, 'The work queue has trouble; hints that it loses are given again');
    this.#opening = this.#start();
  }

  /** Resolves when hints are taken, or after 500 ms when the server is away; then they are taken once it is back. */
  async started(): Promise<void> {
    await within(this.#opening, START_MS);
  }

  async pause(): Promise<void> {
    this.#paused.abort();
    await this.#open?.worker.pause(true);
  }

  close(force = false): Promise<void> {
    this.#closing ??= this.#close(force);
    return this.#closing;
  }

  async #close(force: boolean): Promise<void> {
    await this.pause();
    if (!force) while (this.#running.size > 0) await Promise.allSettled(this.#running);
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
    const { name, concurrency } = this.options;
    const settings = { ...workerSettings(DEFAULT_WORKER_TIMES), concurrency };
    const open = this.server.openWorker(name, (job, token) => this.#process(job, token), settings);
    open.worker.on('error', (err) => this.#warn(err));
    this.#open = open;
    return open;
  }

  async #process(job: Job<unknown>, token: string | undefined): Promise<void> {
    // What was already being fetched when the consumer was paused is for others.
    if (this.#paused.signal.aborted) return this.#putBack(job, token, 0);
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
      return this.#putBack(job, token, OTHER_VERSION_MS);
    }
    const handling = this.#handle(() => this.options.handler(parsed.hint), parsed.hint.taskId);
    this.#running.add(handling);
    const outcome = await handling.finally(() => this.#running.delete(handling));
    if (outcome === 'later') await this.#putBackForLater(job, token);
  }

  /** The slot takes nothing else meanwhile: a process that cannot work now leaves the other hints to those that can. */
  async #putBackForLater(job: Job, token: string | undefined): Promise<never> {
    const { laterMs } = this.options;
    const paused = this.#paused.signal.aborted;
    return this.#putBack(job, token, paused ? 0 : laterMs).finally(() => this.#rest(laterMs));
  }

  async #handle(work: () => Promise<HintOutcome>, taskId: string): Promise<HintOutcome> {
    try {
      return await work();
    } catch (err) {
      this.options.logger.error('The handler of a hint failed', { agentId: this.options.agentId, taskId, err });
      return 'done';
    }
  }

  /** Ends the processing of a job by moving it; BullMQ learns from the error that it is not to complete it. */
  async #putBack(job: Job, token: string | undefined, delayMs: number): Promise<never> {
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
