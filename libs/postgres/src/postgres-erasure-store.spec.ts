import { createTestDatabase, eventually, type TestDatabase } from '#testing';
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { contextOf } from '../../testing/src/contracts/store-fixture.js';
import { Pools } from './pools.js';
import { PostgresErasureStore } from './postgres-erasure-store.js';
import { PostgresTaskStore } from './postgres-task-store.js';

describe('erasure while others write', () => {
  let database: TestDatabase;
  let pools: Pools;
  let writer: pg.Client;
  beforeAll(async () => {
    database = await createTestDatabase();
    pools = new Pools({
      connectionString: database.url,
      size: 2,
      listSize: 2,
      statementTimeoutMs: 10_000,
      applicationName: 'spec',
      onError: () => undefined,
    });
    writer = new pg.Client(database.url);
    await writer.connect();
  });
  afterAll(async () => {
    await writer.end();
    await pools.close();
    await database.drop();
  });

  const rowsOf = async (table: string, taskId: string): Promise<number> =>
    (await writer.query(`select from ${table} where task_id = $1`, [taskId])).rows.length;
  const waits = async (): Promise<boolean> =>
    (await pools.hot.query(`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`)).rows
      .length > 0;
  const accepted = async (): Promise<string> => {
    const taskId = randomUUID();
    const message = { messageId: 'm', role: 'ROLE_USER' as const, parts: [{ text: 'hello' }] };
    const accept = { taskId, contextId: 'c', message, origin: 'api', listed: true };
    await new PostgresTaskStore(pools).acceptNew(contextOf('agent', { tenant: 'acme' }), accept);
    return taskId;
  };

  it.each<[string, string, string]>([
    [
      'an event',
      'select from task where id = $1 for no key update',
      `insert into task_event (task_id, sequence, kind, state, turn, ends_turn, recorded_at, payload) values ($1, 2, 3, 2, 1, false, now(), 'late')`,
    ],
    [
      'an attempt to deliver',
      `select from push_config where task_id = $1 for no key update`,
      `insert into push_delivery (task_id, config_id, sequence, attempt, outcome, started_at, duration_ms) values ($1, 'p', 1, 1, 'failed', now(), 1)`,
    ],
  ])('%s that is being recorded goes too', async (_what, lock, write) => {
    const taskId = await accepted();
    await writer.query(
      `insert into push_config (task_id, id, scope_id, protocol_version, url, receiver, every_event, created_at, cursor, due_at)
       select id, 'p', scope_id, '1.0', 'u', 'r', true, now(), 0, now() from task where id = $1`,
      [taskId],
    );
    await writer.query('begin');
    await writer.query(lock, [taskId]);
    const erased = new PostgresErasureStore(pools).erase({ tenant: 'acme' }, 10);
    await eventually(waits);
    await writer.query(write, [taskId]);
    await writer.query('commit');
    expect(await erased).toBe(1);
    for (const table of ['task_event', 'push_config', 'push_delivery'])
      expect([table, await rowsOf(table, taskId)]).toEqual([table, 0]);
  });

  it('what fails leaves everything as it was', async () => {
    const taskId = await accepted();
    await writer.query(`create function refuse() returns trigger language plpgsql as $$ begin raise exception 'no'; end $$`);
    await writer.query('create trigger refuse before delete on task for each row execute function refuse()');
    const store = new PostgresErasureStore(pools);
    await expect(store.erase({ tenant: 'acme' }, 10)).rejects.toThrow('no');
    expect(await rowsOf('task_event', taskId)).toBe(1);
    await writer.query('drop trigger refuse on task');
    expect(await store.erase({ tenant: 'acme' }, 10)).toBe(1);
  });
});
