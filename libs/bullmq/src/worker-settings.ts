import type { BackendFactory, IQueueBackend } from 'bullmq';
import { setTimeout as sleep } from 'node:timers/promises';

export interface WorkerTimes {
  /** A job whose worker disappeared is handed out again after this. Milliseconds. */
  readonly lockMs: number;
  /** How often workers look for such jobs. Milliseconds. */
  readonly stalledMs: number;
}

export const DEFAULT_WORKER_TIMES: WorkerTimes = Object.freeze({ lockMs: 30_000, stalledMs: 30_000 });

const ERROR_PAUSE_MS = 500;

/**
 * Options of every worker. One job at a time: how many turns run beside each other, the consumer decides. `drainDelay` is short because a worker that dies between waking up and taking the job leaves the
 * others asleep for that long. Stalled jobs may come back often: the claim decides what they are worth.
 */
export const workerSettings = ({ lockMs, stalledMs }: WorkerTimes) => ({
  autorun: false,
  concurrency: 1,
  drainDelay: 2,
  lockDuration: lockMs,
  stalledInterval: stalledMs,
  maxStalledCount: 10,
  runRetryDelay: 1000,
});

/**
 * A worker asks for its next job again at once when the server answers with an error. While that is all the server says
 * (it is a read-only replica, out of memory, out of connections), this keeps the worker from asking in a tight loop.
 */
export function paced<B extends IQueueBackend, C>(factory: BackendFactory<B, C>): BackendFactory<B, C> {
  return (name, options, factoryOptions) => {
    const backend = factory(name, options, factoryOptions);
    const moveToActive = backend.moveToActive.bind(backend);
    backend.moveToActive = async (token, workerName) => {
      try {
        return await moveToActive(token, workerName);
      } catch (err) {
        await sleep(ERROR_PAUSE_MS);
        throw err;
      }
    };
    return backend;
  };
}
