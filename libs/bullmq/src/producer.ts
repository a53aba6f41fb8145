import type { ExecuteHint } from '#core';
import type { JobsOptions, Queue } from 'bullmq';
import { jobData, jobIds } from './execute-job.js';
import { HintLane } from './hint-lane.js';
import { together } from './together.js';

const DEADLINE_MS = 500;
// One attempt, and no trace of it: a job that stayed, completed or failed, would block its id.
const JOB_OPTIONS = { attempts: 1, removeOnComplete: true, removeOnFail: true };

/** One agent's hints on their way into its queue, which is opened when it is first needed. */
export class Producer {
  readonly #lane = new HintLane((hints) => this.#send(hints), DEADLINE_MS);
  #queue: Queue | undefined;

  constructor(
    private readonly agentId: string,
    private readonly openQueue: () => Queue,
  ) {}

  /** Resolves when the hints are stored; rejects within 500 ms when that is not certain. */
  add(hints: readonly ExecuteHint[]): Promise<void> {
    return this.#lane.add(hints);
  }

  /** Stores hints that were taken and could not be taken up: as the next ones, in their order, or after a delay. */
  async putBack(hints: readonly ExecuteHint[], delayMs: number): Promise<void> {
    const queue = (this.#queue ??= this.openQueue());
    const options = delayMs > 0 ? { delay: delayMs } : { lifo: true };
    for (const hint of hints.toReversed()) await this.#addAgain(queue, hint, options);
  }

  async close(): Promise<void> {
    const queue = this.#queue;
    this.#queue = undefined;
    await queue?.close().catch(() => undefined);
  }

  async #send(hints: readonly ExecuteHint[]): Promise<void> {
    const queue = (this.#queue ??= this.openQueue());
    const adding = together(hints.filter(({ again }) => !again)).map((some) => this.#add(queue, some));
    for (const hint of hints) if (hint.again) adding.push(this.#addAgain(queue, hint));
    // Not `addBulk`: it makes a pipeline, and to ioredis a pipeline costs more than the few commands that it saves. All are
    // waited for: what is still under way when the queue closes would open it again.
    const added = await Promise.allSettled(adding);
    const failed = added.find(({ status }) => status === 'rejected');
    if (!failed) return;
    // A queue whose first connection failed never becomes usable; the next hints open another.
    if (this.#queue === queue) void this.close();
    throw (failed as PromiseRejectedResult).reason;
  }

  /** A job of several hints has an id of BullMQ's: nothing is to be swallowed because of its company. */
  async #add(queue: Queue, hints: readonly ExecuteHint[], options?: JobsOptions): Promise<void> {
    const [first, ...others] = hints;
    const named = first && others.length === 0 ? { jobId: jobIds(first)[0] } : undefined;
    await queue.add('execute', jobData(this.agentId, hints), { ...JOB_OPTIONS, ...named, ...options });
  }

  /**
   * A hint that nobody has taken yet needs no other. One that was taken may sit with a worker that died before it claimed, and
   * would swallow every repetition for as long as its lock lasts: the repetition goes under the next id. There are few ids, so a
   * task never has more jobs than that, however long its agent has no workers.
   */
  async #addAgain(queue: Queue, hint: ExecuteHint, options?: JobsOptions): Promise<void> {
    for (const jobId of jobIds(hint)) {
      const job = await queue.getJob(jobId);
      if (!job) await this.#add(queue, [hint], { jobId, ...options });
      if (job?.processedOn === undefined) return;
    }
  }
}
