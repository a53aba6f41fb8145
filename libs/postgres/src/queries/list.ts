import type { Statement } from '../pools.js';
import { LATER_EVENTS } from './fragments.js';

export interface ListFilters {
  readonly context: boolean;
  readonly state: boolean;
  readonly since: boolean;
}

const ALL_STATES = [1, 2, 3, 4, 5, 6, 7, 8];

/** Casts that tell Postgres the type of a parameter that a combination does not use. */
const PARAMETERS =
  '$2::text is not distinct from $2 and $3::smallint is not distinct from $3 and $4::bigint is not distinct from $4';

const name = (kind: string, flags: object): string =>
  [
    kind,
    ...Object.entries(flags)
      .filter(([, on]) => on)
      .map(([flag]) => flag),
  ].join('_');

const conditions = ({ context, since }: ListFilters, after = false): string =>
  [
    't.scope_id = $1 and t.listed',
    ...(context ? ['t.context_id = $2'] : []),
    ...(since ? ['t.status_timestamp >= $4'] : []),
    ...(after ? ['(t.status_timestamp, t.id) < ($5, $6::uuid)'] : []),
  ].join(' and ');

/** Without a context, the index has a branch for each state: merge the first rows of each instead of sorting them all. */
function branches(filters: ListFilters, after: boolean): string {
  const order = 'order by t.status_timestamp desc, t.id desc limit $7';
  const one = (state: string): string =>
    `(select t.id, t.status_timestamp from task t where ${conditions(filters, after)}${state && ` and t.state = ${state}`} ${order})`;
  if (filters.state) return one('$3');
  return filters.context ? one('') : ALL_STATES.map((state) => one(String(state))).join(' union all ');
}

/**
 * One page, newest status first, ties by id; a statement for each combination of filters, so that each has its own plan. Every
 * row has the total: it costs less here than a statement of its own. A page without rows has none, see `countStatement`.
 *
 * $1 scope, $2 context, $3 state, $4 since, $5 and $6 position of the page before, $7 rows
 */
export const listStatement = (flags: ListFilters & { after: boolean; content: boolean }): Statement => ({
  name: name('list', flags),
  text: `
with page as (
  select id, status_timestamp from (${branches(flags, flags.after)}) as branch order by status_timestamp desc, id desc limit $7
)
select t.id, t.context_id, t.status, t.metadata, t.status_timestamp, (${countText(flags)})::bigint as total${flags.content ? `, t.artifacts, t.history, ${LATER_EVENTS}` : ''}
from page p join task t on t.id = p.id
where ${PARAMETERS} and $5::bigint is not distinct from $5 and $6::uuid is not distinct from $6
order by p.status_timestamp desc, p.id desc`,
});

/** Counting stops here on one side before it is tried on the other. */
const FEW = 10_000;

/**
 * The exact number of tasks behind the pages. Without a context and a time the counters know it. With a time, the smaller side
 * is counted: what is after it, or the rest before it, which is taken from the total.
 *
 * $1 scope, $2 context, $3 state, $4 since
 */
export function countStatement(filters: ListFilters): Statement {
  return {
    name: name('count', filters),
    text: `select (${countText(filters)})::bigint as n where ${PARAMETERS} and $1::int is not null`,
  };
}

function countText(filters: ListFilters): string {
  const state = filters.state ? ' and t.state = $3' : '';
  if (filters.context) return `select count(*) from task t where ${conditions(filters)}${state}`;
  const total = `(select coalesce(sum(n), 0)::bigint from task_count where scope_id = $1${filters.state ? ' and state = $3' : ''})`;
  if (!filters.since) return `select ${total}`;
  const states = filters.state ? '$3::smallint' : ALL_STATES.join(', ');
  const side = (comparison: '>=' | '<', most: string): string => `(select count(*) as n from (
    select from unnest(array[${states}]::smallint[]) as s(state) cross join lateral (
      select from task t where t.scope_id = $1 and t.listed and t.state = s.state and t.status_timestamp ${comparison} $4 limit ${most} + 1
    ) task limit ${most} + 1) tasks) side`;
  return `
    select coalesce(
      (select side.n from ${side('>=', String(FEW))} where side.n <= ${FEW}),
      (select ${total} - side.n from ${side('<', String(FEW))} where side.n <= ${FEW}),
      (select side.n from ${side('>=', `${total} / 2`)} where side.n <= ${total} / 2),
      (select ${total} - side.n from ${side('<', total)}))`;
}
