import type { ExecuteHint } from '#core';

/**
 * Most hints of one job. What a job costs, in Redis, in the API and in the worker, its hints share; but they go to one worker,
 * so more of them would fill one process while others have nothing to do.
 */
const MOST_HINTS = 8;

/** Hints that came together, in groups of one job each, as equal in size as can be. */
export function together(hints: readonly ExecuteHint[]): readonly (readonly ExecuteHint[])[] {
  const jobs = Math.ceil(hints.length / MOST_HINTS);
  return Array.from({ length: jobs }, (_, job) =>
    hints.slice(Math.ceil((job * hints.length) / jobs), Math.ceil(((job + 1) * hints.length) / jobs)),
  );
}
