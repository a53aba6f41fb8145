import type { Statement } from '../pools.js';
import { endLeases } from './end-lease.js';
import { TERMINAL } from './fragments.js';

/** Cancels whose grace is over. Reads only. $1 grace in milliseconds, $2 limit */
export const OVERDUE_CANCELS: Statement = {
  name: 'overdue_cancels',
  text: `
select t.id, t.context_id, t.origin, s.agent_id from task t join task_scope s on s.id = t.scope_id
where t.accepted > t.ended and t.state not in ${TERMINAL} and t.cancel_requested_at < clock_timestamp() - $1 * interval '1 millisecond'
order by t.id limit $2`,
};

/**
 * Commits CANCELED whatever the lease, where the cancel is still overdue.
 *
 * $1 ids, $2 grace in milliseconds; pieces of CANCELED: $3 heads, $4 rests, $5 tails, $6 times
 */
export const FINISH_CANCELS: Statement = {
  name: 'finish_cancels',
  text: `
with locked as materialized (
  select id, scope_id, state, listed, sequence, ended, attempt, lease_epoch, pushes
  from task where id = any($1::uuid[]) and state not in ${TERMINAL}
    and cancel_requested_at < clock_timestamp() - $2 * interval '1 millisecond'
  order by id for no key update skip locked
),
judged as materialized (
  select l.*, clock_timestamp() as at, 5::smallint as new_state, i.head, i.rest, i.tail, i.ms
  from locked l join unnest($1::uuid[], $3::text[], $4::text[], $5::text[], $6::bigint[]) as i(id, head, rest, tail, ms) on i.id = l.id
),
${endLeases(0)}`,
};
