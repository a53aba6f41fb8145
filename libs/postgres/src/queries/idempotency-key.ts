import type { Statement } from '../pools.js';
import { EVENT_JSON } from './fragments.js';

/** What a key stands for, with the accepted event of its turn. $1 scope, $2 key */
export const FIND_KEY: Statement = {
  name: 'find_key',
  text: `
select k.task_id, k.turn, k.request_hash, t.context_id, t.lease_epoch,
  (select ${EVENT_JSON}::text from task_event e where e.task_id = k.task_id and e.kind = 1 and e.turn = k.turn) as event
from idempotency_key k join task t on t.id = k.task_id
where k.scope_id = $1 and k.key = $2 and k.expires_at >= clock_timestamp()`,
};

/** Takes a key for a follow-up, in the transaction that accepts it; no row when it is taken. $1 scope, $2 key, $3 task, $4 hash */
export const TAKE_KEY: Statement = {
  name: 'take_key',
  text: `
insert into idempotency_key as k (scope_id, key, task_id, turn, request_hash, expires_at)
values ($1, $2, $3, 0, $4, clock_timestamp() + interval '24 hours')
on conflict (scope_id, key) do update
  set task_id = excluded.task_id, turn = excluded.turn, request_hash = excluded.request_hash, expires_at = excluded.expires_at
  where k.expires_at < clock_timestamp()
returning key`,
};

/** Completes a key that this transaction took. $1 scope, $2 key, $3 turn */
export const SET_KEY_TURN: Statement = {
  name: 'set_key_turn',
  text: 'update idempotency_key set turn = $3 where scope_id = $1 and key = $2',
};
