import type { Statement } from '../pools.js';
import { dueAt, TERMINAL } from './fragments.js';

/** The configurations of a task change under its lock: their number and what they are owed hang on it. $1 task, $2 scope */
export const LOCK_PUSHED_TASK: Statement = {
  name: 'lock_pushed_task',
  text: `
select sequence, state in ${TERMINAL} as ended from task where id = $1 and scope_id = $2 and listed for no key update`,
};

/** How many others a task has, and what is kept of one. Run it under the task's lock. $1 task, $2 id */
export const JUDGE_PUSH_CONFIG: Statement = {
  name: 'judge_push_config',
  text: `
select (select count(*)::int from push_config where task_id = $1 and id <> $2) as others, c.id is not null as known, c.receiver, c.scheme, c.secrets
from (select) as one left join push_config c on c.task_id = $1 and c.id = $2`,
};

/**
 * One that was deleted and is made again begins with another epoch: whoever still delivers to the first does not hold the second. Run
 * it under the task's lock.
 *
 * $1 task, $2 id, $3 scope, $4 version, $5 URL, $6 receiver, $7 scheme or null, $8 secrets or null, $9 every event, $10 cursor of a new one
 */
export const PUT_PUSH_CONFIG: Statement = {
  name: 'put_push_config',
  text: `
with marked as (update task set pushes = true where id = $1 and not pushes)
insert into push_config as c
  (task_id, id, scope_id, protocol_version, url, receiver, scheme, secrets, every_event, created_at, cursor, due_at, lease_epoch)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, clock_timestamp(), $10, ${dueAt('clock_timestamp()')}, (random() * 1000000000)::int)
on conflict (task_id, id) do update set
  protocol_version = excluded.protocol_version, url = excluded.url, receiver = excluded.receiver, scheme = excluded.scheme,
  secrets = excluded.secrets, every_event = excluded.every_event, due_at = excluded.due_at, failures = 0, failing_since = null,
  dead_at = null, lease_owner = null, lease_epoch = c.lease_epoch + 1, lease_expires_at = null
returning not c.finished as open, c.cursor`,
};

const SEEN = 't.id = $1 and t.scope_id = $2 and t.listed';

/** $1 task, $2 scope, $3 id */
export const GET_PUSH_CONFIG: Statement = {
  name: 'get_push_config',
  text: `
select c.id, c.url, c.scheme from task t join push_config c on c.task_id = t.id and c.scope_id = t.scope_id where ${SEEN} and c.id = $3`,
};

/** No row when there is no such task, one without an id when it has none. $1 task, $2 scope, $3 the last of the page before or null, $4 limit */
export const LIST_PUSH_CONFIGS: Statement = {
  name: 'list_push_configs',
  text: `
select c.id, c.url, c.scheme from task t
left join lateral (
  select id, url, scheme from push_config
  where task_id = t.id and scope_id = t.scope_id and id > coalesce($3, '') order by id limit $4
) c on true
where ${SEEN} order by c.id`,
};

/** $1 task, $2 scope, $3 id */
export const DELETE_PUSH_CONFIG: Statement = {
  name: 'delete_push_config',
  text: `
with seen as materialized (select t.id, t.scope_id from task t where ${SEEN}),
gone as (delete from push_config c using seen s where c.task_id = s.id and c.scope_id = s.scope_id and c.id = $3)
select id from seen`,
};
