import { AgentMemoryStore, FENCED, MEMORY_LIMITS, type Fence } from '#core';
import { run, type Pools } from './pools.js';
import { DELETE_MEMORY, GET_MEMORY, MEMORY_KEYS, SET_MEMORY } from './queries/agent-memory.js';

/** What agents remember, in Postgres. */
export class PostgresAgentMemoryStore extends AgentMemoryStore {
  constructor(private readonly pools: Pick<Pools, 'hot'>) {
    super();
  }

  override async get(fence: Fence, key: string): Promise<string | undefined | typeof FENCED> {
    const [row] = await run<{ value: string | null }>(this.pools.hot, GET_MEMORY, [...valuesOf(fence), key]);
    return row ? (row.value ?? undefined) : FENCED;
  }

  override async set(fence: Fence, key: string, value: string): Promise<'written' | 'full' | typeof FENCED> {
    const values = [...valuesOf(fence), key, value, MEMORY_LIMITS.keysPerContext];
    const [row] = await run<{ written: boolean }>(this.pools.hot, SET_MEMORY, values);
    if (!row) return FENCED;
    return row.written ? 'written' : 'full';
  }

  override async delete(fence: Fence, key: string): Promise<boolean | typeof FENCED> {
    const [row] = await run<{ gone: boolean }>(this.pools.hot, DELETE_MEMORY, [...valuesOf(fence), key]);
    return row ? row.gone : FENCED;
  }

  override async keys(fence: Fence, prefix: string): Promise<readonly string[] | typeof FENCED> {
    const rows = await run<{ key: string | null }>(this.pools.hot, MEMORY_KEYS, [...valuesOf(fence), prefix]);
    return rows.length === 0 ? FENCED : rows.flatMap(({ key }) => (key === null ? [] : [key]));
  }
}

const valuesOf = ({ taskId, workerId, epoch }: Fence): unknown[] => [taskId, workerId, epoch];
