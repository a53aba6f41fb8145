import type { Statement } from '../pools.js';
import { TERMINAL, countChanges, millis } from './fragments.js';

/**
 * In milliseconds. By the clock of the statement, not `clock_timestamp()`: a value that may change from row to row is no index
 * condition, and every purge would read all that is not old yet.
 */
const before = `${millis('statement_timestamp()')} - $1`;

/** The lowest id of a task that was made then: ids begin with their time. */
const idBefore = `(lpad(to_hex(${before}), 12, '0') || repeat('0', 20))::uuid`;

/** An idempotency key of a task that is gone stays until it expires; whoever meets it frees it. */
const purge = (due: string): string => `
with due as materialized (
  select id, scope_id, state, listed from task where id = any(array(${due})) order by id for update skip locked
),
events as (delete from task_event e using due d where e.task_id = d.id),
pushes as (delete from push_config c using due d where c.task_id = d.id),
deliveries as (delete from push_delivery p using due d where p.task_id = d.id),
gone as (delete from task t using due d where t.id = d.id returning d.scope_id, d.state, d.listed),
counts as (${countChanges('select scope_id, state, -1 as delta from gone where listed')})
select count(*)::int as n from gone`;

/** Is something owed to a push configuration of `task`? Not for ever: where nobody delivers, it would be so until the end of days. */
const OWED = `pushes and status_timestamp >= ${before} - $3 and exists (
        select from push_config c where c.task_id = task.id and not c.finished and c.dead_at is null)`;

/** Tasks that ended long ago; paused ones stay. $1 their age in milliseconds, $2 limit, $3 how much older one is to which pushes are owed */
export const PURGE_TASKS: Statement = {
  name: 'purge_tasks',
  text: purge(`
    select old.id from task_scope s cross join unnest(array[3, 4, 5, 7]::smallint[]) as final(state)
    cross join lateral (
      select id from task where scope_id = s.id and state = final.state and listed and status_timestamp < ${before} and not (${OWED})
      order by status_timestamp limit $2
    ) old limit $2`),
};

/** Rows that never became tasks: their answer was a Message. $1 their age in milliseconds, $2 limit */
export const PURGE_ANSWERS: Statement = {
  name: 'purge_answers',
  text: purge(`
    select id from task where not listed and id < ${idBefore} and state in ${TERMINAL} and status_timestamp < ${before}
    order by id limit $2`),
};

/** What agents remember of contexts that have no task any more. $1 its age in milliseconds, $2 limit */
export const PURGE_MEMORIES: Statement = {
  name: 'purge_memories',
  text: `
with due as materialized (
  select m.scope_id, m.context_id, m.key from agent_memory m
  where m.updated_at < statement_timestamp() - $1 * interval '1 millisecond'
    and not exists (select from task t where t.context_id = m.context_id and t.scope_id = m.scope_id)
  order by m.updated_at limit $2 for update skip locked
),
gone as (
  delete from agent_memory m using due d
  where m.scope_id = d.scope_id and m.context_id = d.context_id and m.key = d.key returning 1
)
select count(*)::int as n from gone`,
};

/** Idempotency keys that have expired. $1 limit */
export const PURGE_KEYS: Statement = {
  name: 'purge_keys',
  text: `
with due as materialized (
  select scope_id, key from idempotency_key where expires_at < statement_timestamp() order by expires_at limit $1 for update skip locked
),
gone as (delete from idempotency_key k using due d where k.scope_id = d.scope_id and k.key = d.key returning 1)
select count(*)::int as n from gone`,
};

/** Of rows whose ids grow with time. $1 their age in milliseconds, $2 limit */
const purgeOldest = (name: string, table: string, time: string): Statement => ({
  name,
  text: `
with oldest as materialized (select id, ${time} as at from ${table} order by id limit $2 for update skip locked),
gone as (
  delete from ${table} r using oldest o
  where r.id = o.id and o.at < statement_timestamp() - $1 * interval '1 millisecond' returning 1
)
select count(*)::int as n from gone`,
});

/** Attempts to deliver push notifications. Parameters as above. */
export const PURGE_PUSH_ATTEMPTS = purgeOldest('purge_push_attempts', 'push_delivery', 'started_at');

/** Entries of the audit log. Parameters as above. */
export const PURGE_AUDIT_ENTRIES = purgeOldest('purge_audit_entries', 'audit_event', 'at');
