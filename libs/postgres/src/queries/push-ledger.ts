import type { Statement } from '../pools.js';

const millisOf = (column: string): string => `(extract(epoch from ${column}) * 1000)::float8`;

/** $1 tenant or null, $2 task or null, $3 only those that were given up, $4 limit */
export const PUSH_CONFIGS: Statement = {
  name: 'push_configs',
  text: `
select c.task_id, c.id, s.tenant, c.receiver, c.cursor, t.sequence, c.finished, c.failures,
  ${millisOf('c.failing_since')} as failing_since, ${millisOf('c.dead_at')} as dead_at
from push_config c join task_scope s on s.id = c.scope_id join task t on t.id = c.task_id
where ($1::text is null or s.tenant = $1) and ($2::uuid is null or c.task_id = $2) and (not $3::boolean or c.dead_at is not null)
order by c.dead_at is null, c.task_id, c.id limit $4`,
};

/** Those of configurations that are gone are there as well. $1 tenant or null, $2 task, $3 configuration or null, $4 limit */
export const PUSH_DELIVERIES: Statement = {
  name: 'push_deliveries',
  text: `
select d.task_id, d.config_id, d.sequence, d.attempt, d.outcome, d.http_status, d.error, ${millisOf('d.started_at')} as started_at, d.duration_ms
from push_delivery d join task t on t.id = d.task_id join task_scope s on s.id = t.scope_id
where d.task_id = $2 and ($3::text is null or d.config_id = $3) and ($1::text is null or s.tenant = $1)
order by d.id desc limit $4`,
};

/** $1 tenant or null, $2 task, $3 configuration or null, $4 first event or null */
export const REDELIVER: Statement = {
  name: 'redeliver',
  text: `
with locked as materialized (
  select c.task_id, c.id, case when $4::int is null then c.cursor else least($4::int - 1, t.sequence) end as cursor
  from push_config c join task_scope s on s.id = c.scope_id join task t on t.id = c.task_id
  where c.task_id = $2 and ($3::text is null or c.id = $3) and ($1::text is null or s.tenant = $1)
  order by c.task_id, c.id for no key update of c
),
due as (
  update push_config c set cursor = l.cursor, finished = c.finished and l.cursor >= c.cursor,
    failures = 0, failing_since = null, dead_at = null, due_at = clock_timestamp(),
    lease_owner = null, lease_epoch = c.lease_epoch + 1, lease_expires_at = null
  from locked l where c.task_id = l.task_id and c.id = l.id returning 1
)
select count(*)::int as n from due`,
};
