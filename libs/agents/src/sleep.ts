import { setTimeout as delay } from 'node:timers/promises';

/** Waits, and rejects with the signal's reason as soon as the turn is aborted: pass `context.signal`. */
export async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await delay(ms, undefined, { signal });
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  }
}
