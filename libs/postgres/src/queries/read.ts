import type { Statement } from '../pools.js';
import { LATER_EVENTS, TASK_COLUMNS } from './fragments.js';

/** Tasks with what their snapshots lack, many in one statement, each as of one moment. $1 ids, $2 scopes */
export const GET_TASKS: Statement = {
  name: 'get_tasks',
  text: `
select t.scope_id, ${TASK_COLUMNS}, ${LATER_EVENTS}
from unnest($1::uuid[], $2::int[]) as i(id, scope_id) join task t on t.id = i.id and t.scope_id = i.scope_id`,
};

/** Events after a cursor, for many readers; a row without a sequence says that the task has none, one without `found` that it is gone. */
export const READ_EVENTS: Statement = {
  name: 'read_events',
  text: `
select i.n::int as n, t.id is not null as found, t.metadata is null as without_metadata, e.sequence, e.kind, e.state, e.turn, e.ends_turn, e.payload, e.message
from unnest($1::uuid[], $2::int[], $3::int[], $4::int[]) with ordinality as i(id, scope_id, after, most, n)
left join task t on t.id = i.id and t.scope_id = i.scope_id
left join lateral (
  select * from task_event where task_id = t.id and sequence > i.after order by sequence limit i.most
) e on true
order by i.n, e.sequence`,
};

/** The tasks that have moved past a reader, or are gone (0). $1 ids, $2 scopes, $3 sequences */
export const HEADS: Statement = {
  name: 'heads',
  text: `
select i.id, coalesce(t.sequence, 0) as sequence
from unnest($1::uuid[], $2::int[], $3::int[]) as i(id, scope_id, after)
left join task t on t.id = i.id and t.scope_id = i.scope_id
where t.id is null or t.sequence > i.after`,
};
