import type { Statement } from '../pools.js';
import { TERMINAL, countChanges, millis, movedCounts, plainStatusFrame, wireTime } from './fragments.js';

const CANCELED_STATUS = (at: string): string => `'{"state":"TASK_STATE_CANCELED","timestamp":"' || ${wireTime(at)} || '"}'`;

/** Commits CANCELED for the rows of `ending` (id, scope_id, context_id, origin, state, listed, sequence, ended, attempt, at). */
const commitCanceled = `
taken as materialized (
  select e.*, e.state as old_state, 5::smallint as new_state, e.listed as was_listed, true as is_listed, ${CANCELED_STATUS('e.at')} as status
  from ending e
),
rows as (
  update task t set state = 5, status = k.status, status_timestamp = ${millis('k.at')}, sequence = t.sequence + 1, listed = true,
    lease_owner = null, lease_epoch = t.lease_epoch + 1, lease_expires_at = null,
    cancel_requested_at = coalesce(t.cancel_requested_at, k.at)
  from taken k where t.id = k.id
),
events as (
  insert into task_event (task_id, sequence, kind, state, turn, ends_turn, recorded_at, payload)
  select id, sequence + 1, 2, 5, 0, false, at, ${plainStatusFrame('id', 'context_id', 'status')} from taken order by id
),
counts as (${countChanges(movedCounts('taken'))})`;

/**
 * The wish to cancel, recorded once; with nobody holding the lease (or by force, when the grace is over) CANCELED in the same
 * statement. State plays no part, only the lease does.
 *
 * $1 id, $2 scope, $3 metadata, $4 force
 */
export const CANCEL: Statement = {
  name: 'cancel',
  text: `
with locked as materialized (
  select id, scope_id, context_id, origin, state, listed, sequence, lease_owner, cancel_requested_at
  from task where id = $1 and scope_id = $2 and listed for no key update
),
judged as materialized (
  select l.*, date_trunc('milliseconds', clock_timestamp()) as at,
    case
      when l.state = 5 then 'already-canceled'
      when l.state in ${TERMINAL} then 'not-cancelable'
      when l.lease_owner is null or $4::boolean then 'canceled'
      else 'requested'
    end as outcome
  from locked l
),
ending as (select * from judged where outcome = 'canceled'),
wish as (
  update task t set cancel_requested_at = j.at, cancel_metadata = $3
  from judged j where t.id = j.id and j.outcome = 'requested' and t.cancel_requested_at is null
),
${commitCanceled}
select j.outcome, j.state, j.context_id, j.origin, j.lease_owner, j.sequence + 1 as sequence,
  ${millis('coalesce(j.cancel_requested_at, j.at)')} as requested_at, ${plainStatusFrame('k.id', 'k.context_id', 'k.status')} as payload
from judged j left join taken k on k.id = j.id`,
};

/** Cancels whose grace is over. $1 grace in milliseconds, $2 limit */
export const OVERDUE_CANCELS: Statement = {
  name: 'overdue_cancels',
  text: `
select t.id, t.context_id, t.origin, s.agent_id from task t join task_scope s on s.id = t.scope_id
where t.accepted > t.ended and t.state not in ${TERMINAL} and t.cancel_requested_at < clock_timestamp() - $1 * interval '1 millisecond'
order by t.id limit $2`,
};

/** Commits CANCELED whatever the lease, where the cancel is still overdue. $1 ids, $2 grace in milliseconds */
export const FINISH_CANCELS: Statement = {
  name: 'finish_cancels',
  text: `
with ending as materialized (
  select id, scope_id, context_id, origin, state, listed, sequence, clock_timestamp() as at
  from task where id = any($1::uuid[]) and state not in ${TERMINAL}
    and cancel_requested_at < clock_timestamp() - $2 * interval '1 millisecond'
  order by id for no key update skip locked
),
${commitCanceled}
select id, sequence + 1 as sequence, ${plainStatusFrame('id', 'context_id', 'status')} as payload from taken`,
};
