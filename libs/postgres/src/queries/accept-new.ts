import type { Statement } from '../pools.js';
import { countChanges, plainStatusFrame, wireTime, millis } from './fragments.js';

/**
 * New tasks, many in one statement: key, row, event 1 and counter of each, or nothing of it. A task whose idempotency key is
 * taken is left out of the answer; the loser reads the key in a new statement (the other's commit is later than our snapshot).
 *
 * $1 ids, $2 scopes, $3 contexts, $4 origins, $5 listed, $6 messages, $7 requests, $8 keys, $9 request hashes
 */
export const ACCEPT_NEW: Statement = {
  name: 'accept_new',
  text: `
with item as (
  select i.*, clock_timestamp() as at
  from unnest($1::uuid[], $2::int[], $3::text[], $4::text[], $5::boolean[], $6::text[], $7::text[], $8::text[], $9::text[])
    as i(id, scope_id, context_id, origin, listed, message, request, key, hash)
),
keyed as (
  insert into idempotency_key as k (scope_id, key, task_id, turn, request_hash, expires_at)
  select scope_id, key, id, 1, hash, at + interval '24 hours' from item where key is not null order by scope_id, key
  on conflict (scope_id, key) do update
    set task_id = excluded.task_id, turn = excluded.turn, request_hash = excluded.request_hash, expires_at = excluded.expires_at
    where k.expires_at < clock_timestamp()
  returning task_id
),
taken as materialized (
  select i.*, '{"state":"TASK_STATE_SUBMITTED","timestamp":"' || ${wireTime('i.at')} || '"}' as status, ${millis('i.at')} as ms
  from item i where i.key is null or exists (select from keyed k where k.task_id = i.id)
),
rows as (
  insert into task (id, scope_id, context_id, origin, listed, state, status, status_timestamp, sequence, accepted, inbox, hinted_at, created_at)
  select id, scope_id, context_id, origin, listed, 1, status, ms, 1, 1, array[1], at, at from taken order by id
),
events as (
  insert into task_event (task_id, sequence, kind, state, turn, ends_turn, recorded_at, payload, message, request)
  select id, 1, 1, 1, 1, false, at, ${plainStatusFrame('id', 'context_id', 'status')}, message, request from taken order by id
),
counts as (${countChanges('select scope_id, 1::smallint as state, 1 as delta from taken where listed')})
select id, ${plainStatusFrame('id', 'context_id', 'status')} as payload from taken`,
};
