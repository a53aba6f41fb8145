import { within } from '#core';

/** How long the bus waits for its server, as the port promises. */
export const DEADLINE_MS = 500;

/** What `work` resolves with. Rejects with `message` when that takes longer than the bus's deadline. */
export async function inTime<T>(work: Promise<T>, message: string): Promise<T> {
  if (!(await within(work, DEADLINE_MS))) throw new Error(message);
  return work;
}
