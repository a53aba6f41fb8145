import type { Erasable, ErasureStore } from '../ports/erasure-store.js';

/** What was deleted, or would be. */
export interface Erased {
  readonly tasks: number;
  readonly apiKeys: number;
}

const BATCH = 500;

/** What `eraseData` would delete now. */
export async function countErasable(store: ErasureStore, what: Erasable): Promise<Erased> {
  return { tasks: await store.count(what), apiKeys: isWholeAccount(what) ? await store.countApiKeys(what) : 0 };
}

/** Deletes what is meant, and of a whole tenant or principal its API keys too. Whoever stops it halfway can begin again. */
export async function eraseData(store: ErasureStore, what: Erasable): Promise<Erased> {
  // First, so that nobody who is erased adds to it meanwhile.
  const apiKeys = isWholeAccount(what) ? await store.eraseApiKeys(what) : 0;
  let tasks = 0;
  for (;;) {
    const gone = await store.erase(what, BATCH);
    tasks += gone;
    if (gone < BATCH) break;
  }
  if (what.contextId === undefined) await store.eraseIdempotencyKeys(what);
  return { tasks, apiKeys };
}

const isWholeAccount = ({ agentId, contextId, taskId }: Erasable): boolean => (agentId ?? contextId ?? taskId) === undefined;
