import type { Statement } from '../pools.js';
import { countChanges } from './fragments.js';

/** $1 tenant; the rest or null: $2 principal, $3 agent, $4 context, $5 task */
const MEANT = `t.scope_id in (
    select id from task_scope where tenant = $1 and ($2::text is null or owner = $2) and ($3::text is null or agent_id = $3)
  ) and ($4::text is null or t.context_id = $4) and ($5::uuid is null or t.id = $5)`;

/** Parameters as above. */
export const COUNT_ERASABLE: Statement = {
  name: 'count_erasable',
  text: `select count(*)::int as n from task t where ${MEANT}`,
};

/**
 * Locks what is meant, in the order in which writers lock, and waits for what is being written to it. What a writer has committed
 * meanwhile is not seen by this statement: the one that deletes is another. Parameters as above, and $6 limit
 */
export const LOCK_ERASABLE: Statement = {
  name: 'lock_erasable',
  text: `
with due as materialized (
  select t.id from task t where t.id = any(array(select t.id from task t where ${MEANT} limit $6)) order by t.id for update
),
pushes as materialized (
  select c.task_id from push_config c join due d on c.task_id = d.id order by c.task_id, c.id for update of c
)
select coalesce(array_agg(id), '{}') as ids, (select count(*) from pushes) as pushes from due`,
};

/** Tasks that are locked. $1 tasks */
export const ERASE_TASKS: Statement = {
  name: 'erase_tasks',
  text: `
with due as materialized (select id, scope_id, state, listed from task where id = any($1::uuid[])),
events as (delete from task_event e using due d where e.task_id = d.id),
pushes as (delete from push_config c using due d where c.task_id = d.id),
deliveries as (delete from push_delivery p using due d where p.task_id = d.id),
keys as (delete from idempotency_key k using due d where k.scope_id = d.scope_id and k.task_id = d.id),
gone as (delete from task t using due d where t.id = d.id returning d.scope_id, d.state, d.listed),
counts as (${countChanges('select scope_id, state, -1 as delta from gone where listed')})
select count(*)::int as n from gone`,
};

/** Those of tasks that were gone before are there too, until they expire. $1 tenant; the rest or null: $2 principal, $3 agent, $4 task */
export const ERASE_IDEMPOTENCY_KEYS: Statement = {
  name: 'erase_idempotency_keys',
  text: `
delete from idempotency_key k where k.scope_id in (
    select id from task_scope where tenant = $1 and ($2::text is null or owner = $2) and ($3::text is null or agent_id = $3)
  ) and ($4::uuid is null or k.task_id = $4)`,
};

/** $1 tenant; the rest or null: $2 principal, $3 agent, $4 context */
const MEMORIES_MEANT = `m.scope_id in (
    select id from task_scope where tenant = $1 and ($2::text is null or owner = $2) and ($3::text is null or agent_id = $3)
  ) and ($4::text is null or m.context_id = $4)`;

/** Parameters as above. */
export const COUNT_ERASABLE_MEMORIES: Statement = {
  name: 'count_erasable_memories',
  text: `select count(*)::int as n from agent_memory m where ${MEMORIES_MEANT}`,
};

/** Parameters as above, and $5 limit. */
export const ERASE_MEMORIES: Statement = {
  name: 'erase_memories',
  text: `
with due as materialized (
  select m.scope_id, m.context_id, m.key from agent_memory m where ${MEMORIES_MEANT}
  order by m.scope_id, m.context_id, m.key limit $5 for update
),
gone as (
  delete from agent_memory m using due d
  where m.scope_id = d.scope_id and m.context_id = d.context_id and m.key = d.key returning 1
)
select count(*)::int as n from gone`,
};

/** A key for every tenant (`*`) is of none. */
const KEYS_MEANT = `tenant = $1 and tenant <> '*' and ($2::text is null or principal = $2)`;

/** $1 tenant, $2 principal or null */
export const COUNT_ERASABLE_API_KEYS: Statement = {
  name: 'count_erasable_api_keys',
  text: `select count(*)::int as n from api_key where ${KEYS_MEANT}`,
};

/** Parameters as above. */
export const ERASE_API_KEYS: Statement = {
  name: 'erase_api_keys',
  text: `
with gone as (delete from api_key where ${KEYS_MEANT} returning 1)
select count(*)::int as n from gone`,
};
