import { randomFillSync } from 'node:crypto';
import { v7 } from 'uuid';

const BYTES = 16;
const pool = new Uint8Array(256 * BYTES);
let used = pool.length;

/** A new task's or context's id: a UUID of version 7, so that rows made together lie together. Lower case. */
export const newId = (): string => v7({ rng: random });

/** Drawn from the system 256 ids at a time: asking it for each costs several times what the rest of an id does. */
function random(): Uint8Array {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += BYTES;
  return pool.subarray(used - BYTES, used);
}
