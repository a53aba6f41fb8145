import type { Statement } from '../pools.js';
import { TERMINAL, countChanges, millis, movedCounts, plainStatusFrame, statusText, wireTime } from './fragments.js';

/**
 * A message to a task that exists: refused by what the locked row says, else recorded as exactly one event and as the next
 * turn. An interrupted task becomes SUBMITTED; one that is WORKING stays so.
 *
 * $1 id, $2 scope, $3 context or null, $4 message without a contextId, $5 request
 */
export const ACCEPT_FOLLOW_UP: Statement = {
  name: 'accept_follow_up',
  text: `
with locked as materialized (
  select id, scope_id, context_id, state, sequence, accepted, cancel_requested_at, lease_epoch
  from task where id = $1 and scope_id = $2 and listed for no key update
),
judged as materialized (
  select l.*, clock_timestamp() as at,
    case
      when l.state in ${TERMINAL} then 'terminal'
      when l.cancel_requested_at is not null then 'canceling'
      when $3::text is not null and l.context_id <> $3 then 'context-mismatch'
      else 'accepted'
    end as outcome,
    (case when l.state in (6, 8) then 1 else l.state end)::smallint as new_state
  from locked l
),
taken as materialized (
  select j.*, j.state as old_state, true as was_listed, true as is_listed,
    ${statusText('j.new_state', `',"timestamp":"' || ${wireTime('j.at')} || '"}'`)} as status,
    '{"contextId":' || to_json(j.context_id)::text || ',' || substr($4::text, 2) as message
  from judged j where j.outcome = 'accepted'
),
rows as (
  update task t set sequence = t.sequence + 1, accepted = t.accepted + 1, inbox = t.inbox || (t.sequence + 1), state = k.new_state,
    status = k.status, status_timestamp = ${millis('k.at')}, hinted_at = k.at, hints = 0
  from taken k where t.id = k.id
),
events as (
  insert into task_event (task_id, sequence, kind, state, turn, ends_turn, recorded_at, payload, message, request)
  select id, sequence + 1, 1, new_state, accepted + 1, false, at, ${plainStatusFrame('id', 'context_id', 'status')}, message, $5 from taken
),
counts as (${countChanges(movedCounts('taken'))})
select j.outcome, j.state, j.new_state, j.context_id, j.sequence + 1 as sequence, j.accepted + 1 as turn, j.lease_epoch,
  k.message, ${plainStatusFrame('k.id', 'k.context_id', 'k.status')} as payload
from judged j left join taken k on k.id = j.id`,
};
