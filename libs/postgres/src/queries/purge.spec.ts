import { createTestDatabase, type TestDatabase } from '#testing';
import type pg from 'pg';
import { Pools, type Statement } from '../pools.js';
import { PURGE_ANSWERS, PURGE_KEYS, PURGE_TASKS } from './purge.js';

describe('purges', () => {
  let database: TestDatabase;
  let pools: Pools;
  let connection: pg.PoolClient;
  beforeAll(async () => {
    database = await createTestDatabase();
    pools = new Pools({
      connectionString: database.url,
      size: 1,
      listSize: 1,
      statementTimeoutMs: 10_000,
      applicationName: 'spec',
      onError: () => undefined,
    });
    connection = await pools.lists.connect();
  });
  afterAll(async () => {
    connection.release();
    await pools.close();
    await database.drop();
  });

  const planOf = async ({ name, text }: Statement, values: readonly number[]): Promise<string> => {
    await connection.query(`prepare ${name} as ${text}`);
    const { rows } = await connection.query<{ 'QUERY PLAN': string }>(
      `explain (costs off) execute ${name}(${values.join(', ')})`,
    );
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  };

  it.each([
    ['tasks', PURGE_TASKS, [1000, 10, 1000], 'status_timestamp <'],
    ['answers', PURGE_ANSWERS, [1000, 10], 'id <'],
    ['keys', PURGE_KEYS, [10], 'expires_at <'],
  ] as const)('%s: what is not old yet is not read', async (_, statement, values, condition) => {
    const conditions = (await planOf(statement, values)).split('\n').filter((line) => line.includes('Index Cond'));
    expect(conditions.filter((line) => line.includes(condition))).toHaveLength(1);
  });
});
