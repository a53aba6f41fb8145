import type { Statement } from '../pools.js';
import { TERMINAL } from './fragments.js';

const MOST_BACKOFF_MS = 60_000;

const DUE = `t.accepted > t.ended and t.state not in ${TERMINAL} and t.lease_owner is null and t.cancel_requested_at is null
    and t.hinted_at < clock_timestamp() - least($2 * power(2, least(t.hints, 16)), ${MOST_BACKOFF_MS}) * interval '1 millisecond'`;

/**
 * Tasks with work and nobody working on it, whatever their state, whose last hint is older than a back-off that doubles with each
 * hint of the same turn; marks them hinted. Many reconcilers share the work by SKIP LOCKED.
 *
 * The limit is dealt out agent by agent, to the least hinted and longest waiting task of each first: the backlog of an agent whose
 * workers are away, or too few, keeps no lost hint of another agent from being found.
 *
 * $1 agent ids or null, $2 first back-off in milliseconds, $3 limit
 */
export const TAKE_PENDING: Statement = {
  name: 'take_pending',
  text: `
with offered as materialized (
  select t.id, row_number() over (partition by s.agent_id order by t.hints, t.hinted_at) as place
  from task t join task_scope s on s.id = t.scope_id
  where ${DUE} and ($1::text[] is null or s.agent_id = any($1::text[]))
  order by place limit $3
),
due as materialized (
  select t.id, t.scope_id, t.ended, t.lease_epoch from task t
  where t.id = any(array(select id from offered)) and ${DUE}
  order by t.id for no key update skip locked
),
hinted as (
  update task t set hinted_at = clock_timestamp(), hints = t.hints + 1 from due d where t.id = d.id
)
select d.id, s.agent_id, d.ended + 1 as turn, d.lease_epoch as epoch from due d join task_scope s on s.id = d.scope_id order by d.id`,
};
