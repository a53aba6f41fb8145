import { ErasureStore, type Erasable, type StoredApiKey } from '#core';
import type { InMemoryDatabase, Memory } from './in-memory-database.js';
import { forgetPushes } from './push-rows.js';
import { ownerOfKey, type TaskRow } from './rows.js';

/** Deletes from an `InMemoryDatabase`. */
export class InMemoryErasureStore extends ErasureStore {
  constructor(private readonly database: InMemoryDatabase) {
    super();
  }

  override count(what: Erasable): Promise<number> {
    return this.database.call('countErasable', () => this.#meant(what).length);
  }

  override erase(what: Erasable, limit: number): Promise<number> {
    return this.database.call('erase', () => {
      const { tasks, keys } = this.database;
      const gone = this.#meant(what).slice(0, limit);
      for (const { taskId } of gone) {
        tasks.delete(taskId);
        forgetPushes(this.database, taskId);
      }
      for (const [name, { taskId }] of keys) if (gone.some((row) => row.taskId === taskId)) keys.delete(name);
      return gone.length;
    });
  }

  override eraseIdempotencyKeys({ tenant, principal, agentId, taskId }: Omit<Erasable, 'contextId'>): Promise<void> {
    return this.database.call('eraseIdempotencyKeys', () => {
      for (const [name, key] of this.database.keys) {
        const [ofTenant, owner, ofAgent] = ownerOfKey(name);
        const isMeant = ofTenant === tenant && is(principal, owner) && is(agentId, ofAgent) && is(taskId, key.taskId);
        if (isMeant) this.database.keys.delete(name);
      }
    });
  }

  override countMemories(what: Erasable): Promise<number> {
    return this.database.call('countMemories', () => this.#memoriesMeant(what).length);
  }

  override eraseMemories(what: Erasable, limit: number): Promise<number> {
    return this.database.call('eraseMemories', () => {
      const gone = new Set(this.#memoriesMeant(what).slice(0, limit));
      this.database.memories = this.database.memories.filter((memory) => !gone.has(memory));
      return gone.size;
    });
  }

  override countApiKeys(what: Pick<Erasable, 'tenant' | 'principal'>): Promise<number> {
    return this.database.call('countApiKeys', () => this.#keysMeant(what).length);
  }

  override eraseApiKeys(what: Pick<Erasable, 'tenant' | 'principal'>): Promise<number> {
    return this.database.call('eraseApiKeys', () => {
      const gone = this.#keysMeant(what);
      for (const { id } of gone) this.database.apiKeys.delete(id);
      return gone.length;
    });
  }

  #keysMeant({ tenant, principal }: Pick<Erasable, 'tenant' | 'principal'>): StoredApiKey[] {
    return [...this.database.apiKeys.values()].filter(
      (key) => key.tenant === tenant && (principal === undefined || key.principal === principal),
    );
  }

  #meant(what: Erasable): TaskRow[] {
    return [...this.database.tasks.values()].filter((row) => isOf(row, what) && is(what.taskId, row.taskId));
  }

  #memoriesMeant(what: Erasable): Memory[] {
    return what.taskId === undefined ? this.database.memories.filter((memory) => isOf(memory, what)) : [];
  }
}

const is = (wanted: string | undefined, value: string): boolean => wanted === undefined || wanted === value;

const isOf = (row: Memory | TaskRow, { tenant, principal, agentId, contextId }: Erasable): boolean =>
  row.tenant === tenant && is(principal, row.owner) && is(agentId, row.agentId) && is(contextId, row.contextId);
