import { run, type Pools, type Statement } from './pools.js';

const FIND_SECRET: Statement = { name: 'find_secret', text: 'select value from host_secret where name = $1' };

/** The key that signs page tokens, shared by all replicas of this installation. */
export async function pageTokenKey(pools: Pools): Promise<Buffer> {
  const [row] = await run<{ value: string }>(pools.lists, FIND_SECRET, ['page_token']);
  if (!row) throw new Error('The database has no page token key: its migrations are incomplete');
  return Buffer.from(row.value, 'hex');
}
