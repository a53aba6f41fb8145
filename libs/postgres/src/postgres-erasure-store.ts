import { ErasureStore, type Erasable } from '#core';
import { run, transaction, type Pools, type Statement } from './pools.js';
import {
  COUNT_ERASABLE,
  COUNT_ERASABLE_API_KEYS,
  COUNT_ERASABLE_MEMORIES,
  ERASE_API_KEYS,
  ERASE_IDEMPOTENCY_KEYS,
  ERASE_MEMORIES,
  ERASE_TASKS,
  LOCK_ERASABLE,
} from './queries/erase.js';

/** Deletes from Postgres. The pool's statements have to be given the time that it takes to look through all tasks. */
export class PostgresErasureStore extends ErasureStore {
  constructor(private readonly pools: Pick<Pools, 'lists'>) {
    super();
  }

  override count(what: Erasable): Promise<number> {
    return this.#number(COUNT_ERASABLE, valuesOf(what));
  }

  override erase(what: Erasable, limit: number): Promise<number> {
    // Two statements, one transaction: the second sees what was written until the first had its locks.
    return transaction(this.pools.lists, async (runHere) => {
      const [locked] = await runHere<{ ids: string[] }>(LOCK_ERASABLE, [...valuesOf(what), limit]);
      if (!locked || locked.ids.length === 0) return 0;
      const [erased] = await runHere<{ n: number }>(ERASE_TASKS, [locked.ids]);
      return erased?.n ?? 0;
    });
  }

  override async eraseIdempotencyKeys({ tenant, principal, agentId, taskId }: Omit<Erasable, 'contextId'>): Promise<void> {
    await run(this.pools.lists, ERASE_IDEMPOTENCY_KEYS, [tenant, principal ?? null, agentId ?? null, taskId ?? null]);
  }

  override async countMemories(what: Erasable): Promise<number> {
    return what.taskId === undefined ? this.#number(COUNT_ERASABLE_MEMORIES, ownersOf(what)) : 0;
  }

  override async eraseMemories(what: Erasable, limit: number): Promise<number> {
    return what.taskId === undefined ? this.#number(ERASE_MEMORIES, [...ownersOf(what), limit]) : 0;
  }

  override countApiKeys({ tenant, principal }: Pick<Erasable, 'tenant' | 'principal'>): Promise<number> {
    return this.#number(COUNT_ERASABLE_API_KEYS, [tenant, principal ?? null]);
  }

  override eraseApiKeys({ tenant, principal }: Pick<Erasable, 'tenant' | 'principal'>): Promise<number> {
    return this.#number(ERASE_API_KEYS, [tenant, principal ?? null]);
  }

  async #number(statement: Statement, values: readonly unknown[]): Promise<number> {
    const [row] = await run<{ n: number }>(this.pools.lists, statement, values);
    return row?.n ?? 0;
  }
}

const ownersOf = ({ tenant, principal, agentId, contextId }: Erasable): unknown[] => [
  tenant,
  principal ?? null,
  agentId ?? null,
  contextId ?? null,
];

const valuesOf = (what: Erasable): unknown[] => [...ownersOf(what), what.taskId ?? null];
