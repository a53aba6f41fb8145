import type { Statement } from '../pools.js';
import { TERMINAL, countChanges, millis, movedCounts, plainStatusFrame, wireTime } from './fragments.js';

/**
 * The wish to cancel, recorded once; with nobody holding the lease (or by force, when the grace is over) CANCELED in the same
 * statement, which ends the turn that was running or waiting. State plays no part, only the lease does.
 *
 * $1 id, $2 scope, $3 metadata, $4 force
 */
export const CANCEL: Statement = {
  name: 'cancel',
  text: `
with locked as materialized (
  select id, scope_id, context_id, origin, state, sequence, accepted, ended, lease_owner, cancel_requested_at, pushes
  from task where id = $1 and scope_id = $2 and listed for no key update
),
judged as materialized (
  select l.*, date_trunc('milliseconds', clock_timestamp()) as at, case when l.accepted > l.ended then l.ended + 1 else 0 end as turn,
    case
      when l.state = 5 then 'already-canceled'
      when l.state in ${TERMINAL} then 'not-cancelable'
      when l.lease_owner is null or $4::boolean then 'canceled'
      else 'requested'
    end as outcome
  from locked l
),
wish as (
  update task t set cancel_requested_at = j.at, cancel_metadata = $3
  from judged j where t.id = j.id and j.outcome = 'requested' and t.cancel_requested_at is null
),
taken as materialized (
  select j.*, j.state as old_state, 5::smallint as new_state, true as was_listed, true as is_listed,
    '{"state":"TASK_STATE_CANCELED","timestamp":"' || ${wireTime('j.at')} || '"}' as status
  from judged j where j.outcome = 'canceled'
),
rows as (
  update task t set state = 5, status = k.status, status_timestamp = ${millis('k.at')}, sequence = t.sequence + 1,
    ended = t.ended + (k.turn > 0)::int, inbox = t.inbox[2:],
    lease_owner = null, lease_epoch = t.lease_epoch + 1, lease_expires_at = null,
    cancel_requested_at = coalesce(t.cancel_requested_at, k.at)
  from taken k where t.id = k.id
),
events as (
  insert into task_event (task_id, sequence, kind, state, turn, ends_turn, recorded_at, payload)
  select id, sequence + 1, 2, 5, turn, turn > 0, at, ${plainStatusFrame('id', 'context_id', 'status')} from taken
),
counts as (${countChanges(movedCounts('taken'))})
select j.outcome, j.state, j.context_id, j.origin, j.lease_owner, j.sequence + 1 as sequence, j.turn, j.pushes,
  ${millis('coalesce(j.cancel_requested_at, j.at)')} as requested_at, ${plainStatusFrame('k.id', 'k.context_id', 'k.status')} as payload
from judged j left join taken k on k.id = j.id`,
};
