import type { Statement } from '../pools.js';
import { dueAt } from './fragments.js';

const millisOf = (column: string): string => `(extract(epoch from ${column}) * 1000)::float8`;

const ownedBy = (tenant: string, agent: string): string =>
  `(${tenant}::text is null or s.tenant = ${tenant}) and (${agent}::text is null or s.agent_id = ${agent})`;

/** A statement for each question: one for all of them would have a plan for none. */
const configs = (name: string, which: string, order: string): Statement => ({
  name,
  text: `
select c.task_id, c.id, s.tenant, s.agent_id, c.receiver, c.cursor, t.sequence, c.finished, c.failures,
  ${millisOf('c.failing_since')} as failing_since, ${millisOf('c.dead_at')} as dead_at
from push_config c join task_scope s on s.id = c.scope_id join task t on t.id = c.task_id
where ${ownedBy('$1', '$2')} and ${which}
order by ${order} limit $3`,
});

/** $1 tenant or null, $2 agent or null, $3 limit */
export const PUSH_CONFIGS = configs('push_configs', 'true', 'c.task_id desc, c.id desc');

/** Those that were given up. $1 tenant or null, $2 agent or null, $3 limit */
export const DEAD_PUSH_CONFIGS = configs(
  'dead_push_configs',
  'c.dead_at is not null',
  'c.dead_at desc, c.task_id desc, c.id desc',
);

/** $1 tenant or null, $2 agent or null, $3 limit, $4 task, $5 only those that were given up */
export const PUSH_CONFIGS_OF_TASK = configs(
  'push_configs_of_task',
  'c.task_id = $4 and (not $5::boolean or c.dead_at is not null)',
  'c.id desc',
);

/** Those of configurations that are gone are there as well. $1 tenant or null, $2 agent or null, $3 task, $4 configuration or null, $5 limit */
export const PUSH_DELIVERIES: Statement = {
  name: 'push_deliveries',
  text: `
select d.task_id, d.config_id, d.sequence, d.attempt, d.outcome, d.http_status, d.error, ${millisOf('d.started_at')} as started_at, d.duration_ms
from push_delivery d join task t on t.id = d.task_id join task_scope s on s.id = t.scope_id
where d.task_id = $3 and ($4::text is null or d.config_id = $4) and ${ownedBy('$1', '$2')}
order by d.id desc limit $5`,
};

const ANEW = `failures = 0, failing_since = null, dead_at = null, due_at = ${dueAt('clock_timestamp()')},
    lease_owner = null, lease_epoch = c.lease_epoch + 1, lease_expires_at = null`;

/** $1 tenant or null, $2 agent or null, $3 task, $4 configuration or null, $5 first event or null */
export const REDELIVER: Statement = {
  name: 'redeliver',
  text: `
with locked as materialized (
  select c.task_id, c.id, case when $5::int is null then c.cursor else least($5::int - 1, t.sequence) end as cursor
  from push_config c join task_scope s on s.id = c.scope_id join task t on t.id = c.task_id
  where c.task_id = $3 and ($4::text is null or c.id = $4) and ${ownedBy('$1', '$2')}
  order by c.task_id, c.id for no key update of c
),
due as (
  update push_config c set cursor = l.cursor, finished = c.finished and l.cursor >= c.cursor, ${ANEW}
  from locked l where c.task_id = l.task_id and c.id = l.id returning 1
)
select count(*)::int as n from due`,
};

/** $1 tenant or null, $2 agent or null, $3 receiver or null, $4 limit */
export const REDELIVER_DEAD: Statement = {
  name: 'redeliver_dead',
  text: `
with locked as materialized (
  select c.task_id, c.id from push_config c join task_scope s on s.id = c.scope_id
  where c.dead_at is not null and ${ownedBy('$1', '$2')} and ($3::text is null or c.receiver = $3)
  order by c.task_id, c.id limit $4 for no key update of c
),
due as (update push_config c set ${ANEW} from locked l where c.task_id = l.task_id and c.id = l.id returning 1)
select count(*)::int as n from due`,
};
