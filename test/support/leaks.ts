import type { Cluster } from './cluster.js';

/**
 * Where in the database a word is: `table: row` for every row that has it in any column, in clear or as the bytes of a binary one.
 */
export async function rowsWith(cluster: Pick<Cluster, 'sql'>, word: string): Promise<string[]> {
  const tables = await cluster.sql<{ name: string }>(
    `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
     where table_schema not in ('pg_catalog', 'information_schema') and table_type = 'BASE TABLE' order by 1`,
  );
  const found: string[] = [];
  for (const { name } of tables) {
    const rows = await cluster.sql<{ row: string }>(
      `select t::text as row from ${name} t where strpos(t::text, '${word}') > 0 or strpos(t::text, '${Buffer.from(word).toString('hex')}') > 0`,
    );
    found.push(...rows.map(({ row }) => `${name}: ${row}`));
  }
  return found;
}

/** The keys in the suite's own Redis whose name or value has the word, whatever their type. */
export async function redisKeysWith(cluster: Pick<Cluster, 'redis'>, word: string): Promise<string[]> {
  const keys = (await cluster.redis(['keys', '*'])) as string[];
  const found: string[] = [];
  for (const key of keys) if (key.includes(word) || (await valueOf(cluster, key)).includes(word)) found.push(key);
  return found;
}

const READ: Readonly<Record<string, readonly string[]>> = {
  string: ['get'],
  hash: ['hgetall'],
  list: ['lrange', '0', '-1'],
  set: ['smembers'],
  zset: ['zrange', '0', '-1'],
  stream: ['xrange', '-', '+'],
};

async function valueOf(cluster: Pick<Cluster, 'redis'>, key: string): Promise<string> {
  const type = (await cluster.redis(['type', key])) as string;
  const read = READ[type];
  if (!read) return '';
  const [command = '', ...rest] = read;
  return JSON.stringify(await cluster.redis([command, key, ...rest]));
}
