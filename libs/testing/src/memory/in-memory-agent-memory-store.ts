import { AgentMemoryStore, FENCED, MEMORY_LIMITS, type Fence } from '#core';
import { isTerminal } from '#protocol';
import type { InMemoryDatabase, Memory } from './in-memory-database.js';
import type { TaskRow } from './rows.js';

/** What agents remember, in an `InMemoryDatabase`. */
export class InMemoryAgentMemoryStore extends AgentMemoryStore {
  constructor(private readonly database: InMemoryDatabase) {
    super();
  }

  override get(fence: Fence, key: string): Promise<string | undefined | typeof FENCED> {
    return this.#under(fence, 'getMemory', (row) => this.#of(row).find((memory) => memory.key === key)?.value);
  }

  override set(fence: Fence, key: string, value: string): Promise<'written' | 'full' | typeof FENCED> {
    return this.#under(fence, 'setMemory', (row) => {
      const { tenant, owner, agentId, contextId } = row;
      const all = this.#of(row);
      const known = all.find((memory) => memory.key === key);
      if (!known && all.length >= MEMORY_LIMITS.keysPerContext) return 'full';
      this.#forget(known);
      this.database.memories.push({ tenant, owner, agentId, contextId, key, value, updatedAt: this.database.now() });
      return 'written';
    });
  }

  override delete(fence: Fence, key: string): Promise<boolean | typeof FENCED> {
    return this.#under(fence, 'deleteMemory', (row) => this.#forget(this.#of(row).find((memory) => memory.key === key)));
  }

  override keys(fence: Fence, prefix: string): Promise<readonly string[] | typeof FENCED> {
    return this.#under(fence, 'memoryKeys', (row) =>
      this.#of(row)
        .map(({ key }) => key)
        .filter((key) => key.startsWith(prefix))
        .sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))),
    );
  }

  #under<T>({ taskId, workerId, epoch }: Fence, call: string, work: (row: TaskRow) => T): Promise<T | typeof FENCED> {
    return this.database.call(call, () => {
      const row = this.database.tasks.get(taskId);
      const held = row && row.lease?.owner === workerId && row.epoch === epoch && !isTerminal(row.state);
      return held ? work(row) : FENCED;
    });
  }

  #of({ tenant, owner, agentId, contextId }: TaskRow): Memory[] {
    return this.database.memories.filter(
      (memory) =>
        memory.tenant === tenant && memory.owner === owner && memory.agentId === agentId && memory.contextId === contextId,
    );
  }

  #forget(memory: Memory | undefined): boolean {
    this.database.memories = this.database.memories.filter((other) => other !== memory);
    return memory !== undefined;
  }
}
