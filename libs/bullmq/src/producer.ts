import type { ExecuteHint } from '#core';
import type { Queue } from 'bullmq';
import { jobData, jobId } from './execute-job.js';
import { HintLane } from './hint-lane.js';

const DEADLINE_MS = 500;
// One attempt, and no trace of it: a job that stayed, completed or failed, would block its id.
const JOB_OPTIONS = { attempts: 1, removeOnComplete: true, removeOnFail: true };

/** One agent's hints on their way into its queue, which is opened when it is first needed. */
export class Producer {
  readonly #lane = new HintLane((hints) => this.#send(hints), DEADLINE_MS);
  #queue: Queue | undefined;

  constructor(private readonly openQueue: () => Queue) {}

  /** Resolves when the hints are stored; rejects within 500 ms when that is not certain. */
  add(hints: readonly ExecuteHint[]): Promise<void> {
    return this.#lane.add(hints);
  }

  async close(): Promise<void> {
    const queue = this.#queue;
    this.#queue = undefined;
    await queue?.close().catch(() => undefined);
  }

  async #send(hints: readonly ExecuteHint[]): Promise<void> {
    try {
      const queue = (this.#queue ??= this.openQueue());
      // Not `addBulk`: it makes a pipeline, and to ioredis a pipeline costs more than the few commands that it saves.
      await Promise.all(hints.map((hint) => queue.add('execute', jobData(hint), { ...JOB_OPTIONS, jobId: jobId(hint) })));
    } catch (error) {
      // A queue whose first connection failed never becomes usable; the next hints open another.
      void this.close();
      throw error;
    }
  }
}
