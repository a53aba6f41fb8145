import { setTimeout as delay } from 'node:timers/promises';

/** Node's timers fire at once when they are given more. */
const LONGEST_TIMER_MS = 2_147_483_647;

/** Waits, however long, and rejects with the signal's reason as soon as the turn is aborted: pass `context.signal`. */
export async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  let left = ms;
  try {
    do {
      await delay(Math.min(left, LONGEST_TIMER_MS), undefined, { signal });
      left -= LONGEST_TIMER_MS;
    } while (left > 0);
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  }
}
