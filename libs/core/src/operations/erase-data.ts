import { OWN_OPERATIONS } from '../audit/audit-trail.js';
import { isTaskId } from '../new-id.js';
import type { Erasable, ErasureStore } from '../ports/erasure-store.js';

/** What was deleted, or would be. */
export interface Erased {
  readonly tasks: number;
  readonly apiKeys: number;
  /** Values that agents remembered. */
  readonly memories: number;
}

const BATCH = 500;

/** What `eraseData` would delete now. */
export async function countErasable(store: ErasureStore, what: Erasable): Promise<Erased> {
  return {
    tasks: await store.count(what),
    apiKeys: isWholeAccount(what) ? await store.countApiKeys(what) : 0,
    memories: await store.countMemories(what),
  };
}

/** Deletes what is meant, what agents remember of it (which is a context's, not a task's), and of a whole tenant or principal its API keys too. Whoever stops it halfway can begin again. */
export async function eraseData(store: ErasureStore, what: Erasable): Promise<Erased> {
  // First, so that nobody who is erased adds to it meanwhile.
  const apiKeys = isWholeAccount(what) ? await store.eraseApiKeys(what) : 0;
  const tasks = await untilNoneIsLeft((limit) => store.erase(what, limit));
  if (what.contextId === undefined) await store.eraseIdempotencyKeys(what);
  // Last: what ran has lost its lease, and remembers nothing more.
  const memories = await untilNoneIsLeft((limit) => store.eraseMemories(what, limit));
  return { tasks, apiKeys, memories };
}

async function untilNoneIsLeft(erase: (limit: number) => Promise<number>): Promise<number> {
  for (let all = 0; ;) {
    const gone = await erase(BATCH);
    all += gone;
    if (gone < BATCH) return all;
  }
}

/** What the audit log says of it. */
export const erasureOf = ({ tenant, principal, agentId, contextId, taskId }: Erasable) => ({
  operation: OWN_OPERATIONS.erase,
  tenant,
  ...(agentId === undefined ? {} : { agentId }),
  ...(contextId === undefined || !isTaskId(contextId) ? {} : { contextId }),
  ...(taskId === undefined ? {} : { taskId }),
  ...(principal === undefined ? {} : { subject: `principal ${principal}` }),
});

const isWholeAccount = ({ agentId, contextId, taskId }: Erasable): boolean => (agentId ?? contextId ?? taskId) === undefined;
