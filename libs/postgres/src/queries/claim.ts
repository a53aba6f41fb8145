import type { Statement } from '../pools.js';
import { TASK_COLUMNS, TERMINAL } from './fragments.js';

/**
 * Takes leases. A task is taken when it is not terminal, has no owner (an expired one is still an owner: only the reaper ends
 * it), has a message pending and no cancel requested. Refusal is normal, and is the absence of a row. A claim that is repeated
 * because its answer was lost also takes what this worker owns already. The events come through a function that reads with a
 * snapshot of its own: this statement may have waited for the row.
 *
 * $1 ids, $2 recovery (0 fail, 1 retry), $3 attempts at most, $4 worker, $5 lease in milliseconds, $6 contract version, $7 repeated
 */
export const CLAIM: Statement = {
  name: 'claim',
  text: `
with locked as materialized (
  select id, state, accepted, ended, lease_owner, cancel_requested_at, contract
  from task where id = any($1::uuid[]) order by id for no key update
),
taken as (
  update task t set lease_owner = $4, lease_epoch = t.lease_epoch + 1, lease_expires_at = clock_timestamp() + $5 * interval '1 millisecond',
    recovery = i.recovery, max_attempts = i.max_attempts
  from locked l join unnest($1::uuid[], $2::smallint[], $3::int[], $7::boolean[]) as i(id, recovery, max_attempts, again) on i.id = l.id
  where t.id = l.id and l.state not in ${TERMINAL} and (l.lease_owner is null or i.again and l.lease_owner = $4) and l.accepted > l.ended
    and l.cancel_requested_at is null and l.contract <= $6
  returning ${TASK_COLUMNS}, t.scope_id, t.origin, t.attempt, t.append_no, t.inbox[1] as message_sequence,
    case when t.checkpoint_turn = t.ended + 1 then t.checkpoint end as checkpoint
)
select t.*, s.tenant, s.owner, s.agent_id, claimed_events(t.id, t.snapshot_sequence, t.message_sequence) as claimed_events
from taken t join task_scope s on s.id = t.scope_id`,
};

/** Renews one worker's leases; answers those that are lost or asked to stop. $1 ids, $2 epochs, $3 worker, $4 lease in milliseconds */
export const HEARTBEAT: Statement = {
  name: 'heartbeat',
  text: `
with locked as materialized (
  select t.id, t.lease_epoch, t.cancel_requested_at, t.cancel_metadata
  from task t join unnest($1::uuid[], $2::int[]) as i(id, epoch) on i.id = t.id
  where t.lease_owner = $3 and t.lease_epoch = i.epoch
  order by t.id for no key update of t
),
renewed as (
  update task t set lease_expires_at = clock_timestamp() + $4 * interval '1 millisecond' from locked l where t.id = l.id
)
select i.id, i.epoch, l.id is null as lost, l.cancel_metadata
from unnest($1::uuid[], $2::int[]) as i(id, epoch) left join locked l on l.id = i.id and l.lease_epoch = i.epoch
where l.id is null or l.cancel_requested_at is not null`,
};
