import type { Statement } from '../pools.js';
import { TERMINAL, countChanges, millis, movedCounts, plainStatusFrame, statusText, wireTime } from './fragments.js';

/**
 * A message to a task that exists: refused by what the locked row says, else recorded as exactly one event and as the next
 * turn. An interrupted task becomes SUBMITTED; one that is WORKING stays so. A key is taken only with the message:
 * `key-taken` says that it is another's, and the loser reads it in a new statement.
 *
 * $1 id, $2 scope, $3 context or null, $4 message without a contextId, $5 request, $6 key or null, $7 request hash
 */
export const ACCEPT_FOLLOW_UP: Statement = {
  name: 'accept_follow_up',
  text: `
with locked as materialized (
  select id, scope_id, context_id, origin, state, sequence, accepted, ended, cancel_requested_at, lease_epoch, pushes
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
keyed as (
  insert into idempotency_key as k (scope_id, key, task_id, turn, request_hash, expires_at)
  select scope_id, $6, id, accepted + 1, $7::text, at + interval '24 hours' from judged where outcome = 'accepted' and $6::text is not null
  on conflict (scope_id, key) do update
    set task_id = excluded.task_id, turn = excluded.turn, request_hash = excluded.request_hash, expires_at = excluded.expires_at
    where k.expires_at < clock_timestamp()
  returning task_id
),
taken as materialized (
  select j.*, j.state as old_state, true as was_listed, true as is_listed,
    ${statusText('j.new_state', `',"timestamp":"' || ${wireTime('j.at')} || '"}'`)} as status,
    '{"contextId":' || to_json(j.context_id)::text || ',' || substr($4::text, 2) as message
  from judged j where j.outcome = 'accepted' and ($6::text is null or exists (select from keyed))
),
rows as (
  update task t set sequence = t.sequence + 1, accepted = t.accepted + 1, inbox = t.inbox || (t.sequence + 1), state = k.new_state,
    status = k.status, status_timestamp = ${millis('k.at')},
    hinted_at = case when k.accepted = k.ended then k.at else t.hinted_at end, hints = case when k.accepted = k.ended then 0 else t.hints end
  from taken k where t.id = k.id
),
events as (
  insert into task_event (task_id, sequence, kind, state, turn, ends_turn, recorded_at, payload, message, request)
  select id, sequence + 1, 1, new_state, accepted + 1, false, at, ${plainStatusFrame('id', 'context_id', 'status')}, message, $5 from taken
),
counts as (${countChanges(movedCounts('taken'))})
select case when j.outcome = 'accepted' and k.id is null then 'key-taken' else j.outcome end as outcome, j.state, j.new_state, j.context_id, j.origin,
  j.sequence + 1 as sequence, j.accepted + 1 as turn, j.lease_epoch, j.pushes,
  k.message, ${plainStatusFrame('k.id', 'k.context_id', 'k.status')} as payload
from judged j left join taken k on k.id = j.id`,
};
