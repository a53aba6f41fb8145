import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { LoadJob, LoadResult } from './closed-loop.js';

/** Runs load in a process of its own, so that what drives the benchmark takes nothing from it. */
export class LoadGenerator {
  readonly #child: ChildProcess = fork(fileURLToPath(new URL('./load-process.js', import.meta.url)));

  async run(job: LoadJob): Promise<LoadResult> {
    this.#child.send(job);
    const [result] = (await once(this.#child, 'message')) as [LoadResult];
    return result;
  }

  stop(): void {
    this.#child.disconnect();
  }
}
