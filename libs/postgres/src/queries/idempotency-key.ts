import type { Statement } from '../pools.js';
import { EVENT_JSON } from './fragments.js';

const accepted = (turn: string): string =>
  `(select ${EVENT_JSON}::text from task_event e where e.task_id = t.id and e.kind = 1 and e.turn = ${turn}) as event`;

/** What a key stands for, with the accepted event of its turn; `event` is null when its task was purged. $1 scope, $2 key */
export const FIND_KEY: Statement = {
  name: 'find_key',
  text: `
select k.task_id, k.turn, k.request_hash, t.context_id, t.origin, t.lease_epoch, ${accepted('k.turn')}
from idempotency_key k left join task t on t.id = k.task_id
where k.scope_id = $1 and k.key = $2 and k.expires_at >= clock_timestamp()`,
};

/** Frees the key of a task that was purged. $1 scope, $2 key, $3 task */
export const FREE_KEY: Statement = {
  name: 'free_key',
  text: `
delete from idempotency_key k
where k.scope_id = $1 and k.key = $2 and k.task_id = $3 and not exists (select from task t where t.id = k.task_id)`,
};

/** The first message of a task, whose accept was repeated. $1 scope, $2 task */
export const FIND_ACCEPTED: Statement = {
  name: 'find_accepted',
  text: `
select t.id as task_id, 1 as turn, t.context_id, t.origin, t.lease_epoch, ${accepted('1')}
from task t where t.id = $2 and t.scope_id = $1`,
};
