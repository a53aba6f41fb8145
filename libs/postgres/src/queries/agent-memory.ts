import type { Statement } from '../pools.js';
import { TERMINAL } from './fragments.js';

/** The task under whose lease an agent asks, and whose context it is. $1 task, $2 worker, $3 epoch */
const HOLDER = `select scope_id, context_id from task
  where id = $1 and lease_owner = $2 and lease_epoch = $3 and state not in ${TERMINAL}`;

/** Locked: whoever ends the lease waits, and a write that waited for them finds no holder. */
const LOCKED_HOLDER = `${HOLDER} for no key update`;

const OF_HOLDER = 'm.scope_id = h.scope_id and m.context_id = h.context_id';

/** No row: the lease is another's. Parameters as above, and $4 key. */
export const GET_MEMORY: Statement = {
  name: 'get_memory',
  text: `
with h as materialized (${HOLDER})
select m.value from h left join agent_memory m on ${OF_HOLDER} and m.key = $4`,
};

/** No row: the lease is another's. Parameters as above, and $4 key, $5 value, $6 keys at most. */
export const SET_MEMORY: Statement = {
  name: 'set_memory',
  text: `
with h as materialized (${LOCKED_HOLDER}),
written as (
  insert into agent_memory (scope_id, context_id, key, value, updated_at)
  select h.scope_id, h.context_id, $4, $5, clock_timestamp() from h
  where exists (select from agent_memory m where ${OF_HOLDER} and m.key = $4)
    or (select count(*) from agent_memory m where ${OF_HOLDER}) < $6
  on conflict (scope_id, context_id, key) do update set value = excluded.value, updated_at = excluded.updated_at
  returning 1
)
select exists (select from written) as written from h`,
};

/** No row: the lease is another's. Parameters as above, and $4 key. */
export const DELETE_MEMORY: Statement = {
  name: 'delete_memory',
  text: `
with h as materialized (${LOCKED_HOLDER}),
gone as (delete from agent_memory m using h where ${OF_HOLDER} and m.key = $4 returning 1)
select exists (select from gone) as gone from h`,
};

/** One row with null when there is none; no row: the lease is another's. Parameters as above, and $4 prefix. */
export const MEMORY_KEYS: Statement = {
  name: 'memory_keys',
  text: `
with h as materialized (${HOLDER})
select m.key from h left join agent_memory m on ${OF_HOLDER} and starts_with(m.key, $4) order by m.key`,
};
