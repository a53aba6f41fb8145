import { runClosedLoop, type LoadJob } from './closed-loop.js';

/** The load generator's own process: a job in, a result out. */
process.on('message', (job: LoadJob) => {
  void runClosedLoop(job).then((result) => process.send?.(result));
});
