import { randomFillSync } from 'node:crypto';
import { v7 } from 'uuid';

const BYTES = 16;
const pool = new Uint8Array(256 * BYTES);
let used = pool.length;

/** A new task's or context's id: a UUID of version 7, so that rows made together lie together. Lower case. */
export const newId = (): string => v7({ rng: random });

const TASK_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Task ids are made here, and written in lower case; anything else names no task. */
export const isTaskId = (id: string): boolean => TASK_ID.test(id);

/** Drawn from the system 256 ids at a time: asking it for each costs several times what the rest of an id does. */
function random(): Uint8Array {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += BYTES;
  return pool.subarray(used - BYTES, used);
}
