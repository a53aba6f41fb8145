import { fork, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { LoadJob, LoadResult } from './closed-loop.js';

/** Runs load in a process of its own, so that what drives the benchmark takes nothing from it. */
export class LoadGenerator {
  readonly #child: ChildProcess = fork(fileURLToPath(new URL('./load-process.js', import.meta.url)));

  /** Rejects when the process ends before its result, as it does at Ctrl-C. */
  async run(job: LoadJob): Promise<LoadResult> {
    return new Promise((resolve, reject) => {
      const ended = (): void => reject(new Error('The load generator has ended'));
      this.#child.once('exit', ended);
      this.#child.once('message', (result: LoadResult) => {
        this.#child.off('exit', ended);
        resolve(result);
      });
      this.#child.send(job, (error) => error && ended());
    });
  }

  stop(): void {
    if (this.#child.connected) this.#child.disconnect();
  }
}
