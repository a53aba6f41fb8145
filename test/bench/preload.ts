import pg from 'pg';
import { makeTask } from './call.js';
import type { ChorusTarget } from './chorus-target.js';

const BATCH = 25_000;

/**
 * $1 the task to copy, $2 and $3 the first and the last number of a copy. Each copy has ids of its own and is a millisecond
 * older than the one before; whatever columns the tables have, they are copied.
 */
const COPIES = `
with source as (select t.*, t.status_timestamp - n as ms, n, md5(n::text || t.id::text) as h from task t, generate_series($2::int, $3::int) n where t.id = $1),
copy as (
  select s.*, (lpad(to_hex(ms), 12, '0') || '7' || substr(h, 1, 3) || '8' || substr(h, 4, 15))::uuid as new_id, md5(h)::uuid::text as new_context,
    to_char(to_timestamp(ms / 1000.0) at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at,
    status::json->>'timestamp' as old_at
  from source s
),
tasks as (
  insert into task
  select (jsonb_populate_record(t, jsonb_build_object('id', c.new_id, 'context_id', c.new_context, 'status_timestamp', c.ms, 'created_at', to_timestamp(c.ms / 1000.0),
    'status', replace(replace(replace(t.status, t.id::text, c.new_id::text), t.context_id, c.new_context), c.old_at, c.at),
    'history', replace(replace(t.history, t.id::text, c.new_id::text), t.context_id, c.new_context)))).*
  from copy c join task t on t.id = $1
)
insert into task_event
select (jsonb_populate_record(e, jsonb_build_object('task_id', c.new_id,
  'payload', replace(replace(replace(e.payload, c.id::text, c.new_id::text), c.context_id, c.new_context), c.old_at, c.at),
  'message', replace(replace(e.message, c.id::text, c.new_id::text), c.context_id, c.new_context)))).*
from copy c join task_event e on e.task_id = $1`;

const COUNT = `
insert into task_count (scope_id, state, slot, n) select scope_id, state, 0, $2 from task where id = $1
on conflict (scope_id, state, slot) do update set n = task_count.n + excluded.n`;

/** Gives the agent so many completed tasks: one that really ran, and copies of it. */
export async function preload(chorus: ChorusTarget, agentId: string, tasks: number): Promise<void> {
  const id = await makeTask(chorus.port, agentId, 'preload');
  const client = new pg.Client(chorus.databaseUrl);
  await client.connect();
  try {
    for (let first = 1; first < tasks; first += BATCH) {
      const last = Math.min(first + BATCH, tasks) - 1;
      await client.query(COPIES, [id, first, last]);
      await client.query(COUNT, [id, last - first + 1]);
    }
    await client.query('vacuum (analyze) task, task_event');
  } finally {
    await client.end();
  }
}
