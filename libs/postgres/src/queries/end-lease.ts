import type { Statement } from '../pools.js';
import { TERMINAL, countChanges, movedCounts, statusText } from './fragments.js';

/**
 * Ends the leases of `judged` (the locked row with new_state: 5 CANCELED, 4 FAILED, or null to let another worker go on; and
 * the pieces of its status event), with `attempts` attempts lost (an integer expression). A terminal state ends the turn that the lease was for.
 */
export const endLeases = (attempts: number | string): string => `
ended as materialized (
  select j.*, j.state as old_state, j.listed as was_listed, true as is_listed from judged j where j.new_state is not null
),
rows as (
  update task t set
    lease_owner = null, lease_epoch = t.lease_epoch + 1, lease_expires_at = null,
    attempt = t.attempt + ${attempts}, hinted_at = j.at, hints = 0,
    state = coalesce(j.new_state, t.state),
    sequence = t.sequence + (j.new_state is not null)::int,
    ended = t.ended + (j.new_state is not null)::int,
    inbox = case when j.new_state is null then t.inbox else t.inbox[2:] end,
    listed = t.listed or j.new_state is not null,
    status = case when j.new_state is null then t.status else ${statusText('j.new_state', 'j.rest')} end,
    status_timestamp = case when j.new_state is null then t.status_timestamp else j.ms end
  from judged j where t.id = j.id
),
events as (
  insert into task_event (task_id, sequence, kind, state, turn, ends_turn, attempt, recorded_at, payload)
  select id, sequence + 1, 2, new_state, ended + 1, true, attempt + 1, at, head || ${statusText('new_state', 'rest')} || tail
  from ended order by id
),
counts as (${countChanges(movedCounts('ended'))})
select j.id, s.agent_id, j.ended + 1 as turn, j.lease_epoch + 1 as epoch, j.new_state, j.sequence + 1 as sequence, j.pushes,
  j.head || ${statusText('j.new_state', 'j.rest')} || j.tail as payload
from judged j join task_scope s on s.id = j.scope_id`;

/** Leases past their time, by the database's clock. Reads only. $1 limit */
export const EXPIRED_LEASES: Statement = {
  name: 'expired_leases',
  text: `
select t.id, t.context_id, t.origin, t.lease_epoch, t.lease_owner, s.agent_id from task t join task_scope s on s.id = t.scope_id
where t.accepted > t.ended and t.state not in ${TERMINAL} and t.lease_owner is not null and t.lease_expires_at < clock_timestamp()
order by t.id limit $1`,
};

/**
 * Ends leases that are still expired with that epoch: CANCELED when that was wished, FAILED when the policy says so or the
 * attempts are spent, else free for the next worker.
 *
 * $1 ids, $2 epochs; pieces of FAILED: $3 heads, $4 rests, $5 tails, $6 times; of CANCELED: $7 rests, $8 tails, $9 times
 */
export const REAP: Statement = {
  name: 'reap',
  text: `
with item as (
  select * from unnest($1::uuid[], $2::int[], $3::text[], $4::text[], $5::text[], $6::bigint[], $7::text[], $8::text[], $9::bigint[])
    as i(id, epoch, head, failed_rest, failed_tail, failed_ms, canceled_rest, canceled_tail, canceled_ms)
),
locked as materialized (
  select * from task where id = any($1::uuid[]) and lease_owner is not null and lease_expires_at < clock_timestamp()
    and state not in ${TERMINAL}
  order by id for no key update skip locked
),
chosen as (
  select l.*, i.head, i.failed_rest, i.failed_tail, i.failed_ms, i.canceled_rest, i.canceled_tail, i.canceled_ms, clock_timestamp() as at,
    (case
      when l.cancel_requested_at is not null then 5
      when l.recovery = 0 or l.attempt + 1 >= l.max_attempts then 4
    end)::smallint as new_state
  from locked l join item i on i.id = l.id and i.epoch = l.lease_epoch
),
judged as materialized (
  select id, scope_id, state, listed, sequence, ended, attempt, lease_epoch, pushes, at, new_state, head,
    case when new_state = 5 then canceled_rest else failed_rest end as rest,
    case when new_state = 5 then canceled_tail else failed_tail end as tail,
    case when new_state = 5 then canceled_ms else failed_ms end as ms
  from chosen
),
${endLeases(1)}`,
};

/**
 * Hand-back by the lease holder. $10 says whether the agent's policy is to fail, $12 how many attempts are lost (0 or 1).
 * The other parameters are those of REAP, with $11 the owner.
 */
export const RELEASE: Statement = {
  name: 'release',
  text: `
with locked as materialized (
  select * from task where id = $1 and lease_owner = $11 and lease_epoch = $2 and state not in ${TERMINAL} for no key update
),
judged as materialized (
  select id, scope_id, state, listed, sequence, ended, attempt, lease_epoch, pushes, clock_timestamp() as at, $3::text as head,
    (case
      when cancel_requested_at is not null then 5
      when $10::boolean or $12::int > 0 and attempt + $12::int >= max_attempts then 4
    end)::smallint as new_state,
    case when cancel_requested_at is not null then $7::text else $4::text end as rest,
    case when cancel_requested_at is not null then $8::text else $5::text end as tail,
    case when cancel_requested_at is not null then $9::bigint else $6::bigint end as ms
  from locked
),
${endLeases('$12::int')}`,
};
