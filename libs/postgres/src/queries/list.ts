import type { Statement } from '../pools.js';
import { LATER_EVENTS } from './fragments.js';

export interface ListFilters {
  readonly context: boolean;
  readonly state: boolean;
  readonly since: boolean;
}

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

const written = new Map<string, Statement>();

/** Writing such a text takes longer than reading a row. */
function once(statement: string, text: () => string): Statement {
  const known = written.get(statement) ?? { name: statement, text: text() };
  written.set(statement, known);
  return known;
}

const conditions = ({ context, since }: ListFilters, after = false): string =>
  [
    't.scope_id = $1 and t.listed',
    ...(context ? ['t.context_id = $2'] : []),
    ...(since ? ['t.status_timestamp >= $4'] : []),
    ...(after ? ['(t.status_timestamp, t.id) < ($5, $6::uuid)'] : []),
  ].join(' and ');

/** How many tasks the scope has in each state in which it ever had one. */
const COUNTED = `
counted as materialized (
  select state, sum(n)::bigint as n from task_count where scope_id = $1 group by state
)`;

const COLUMNS = 't.id, t.context_id, t.status, t.metadata, t.status_timestamp';

/** Without a context, the index has a branch for each state: take the first rows of each instead of sorting them all. */
function firstRows(flags: ListFilters & { after: boolean; content: boolean }): string {
  const columns = COLUMNS + (flags.content ? `, t.artifacts, t.history, t.snapshot_sequence` : '');
  const rows = (state: string): string => `
    select ${columns} from task t where ${conditions(flags, flags.after)}${state && ` and t.state = ${state}`}
    order by t.status_timestamp desc, t.id desc limit $7`;
  if (flags.state) return rows('$3');
  return flags.context ? rows('') : `select row.* from counted c cross join lateral (${rows('c.state')}) row`;
}

/**
 * One page, newest status first, ties by id; a statement for each combination of filters, so that each has its own plan. Every
 * row has the total: it costs less here than a statement of its own. A page without rows has none, see `countStatement`.
 *
 * $1 scope, $2 context, $3 state, $4 since, $5 and $6 position of the page before, $7 rows
 */
export const listStatement = (flags: ListFilters & { after: boolean; content: boolean }): Statement =>
  once(
    name('list', flags),
    () => `
with ${COUNTED},
page as (
  select * from (${firstRows(flags)}) as t order by status_timestamp desc, id desc limit $7
)
select ${COLUMNS}, (${countText(flags)})::bigint as total${flags.content ? `, t.artifacts, t.history, ${LATER_EVENTS}` : ''}
from page t
where ${PARAMETERS} and $5::bigint is not distinct from $5 and $6::uuid is not distinct from $6
order by t.status_timestamp desc, t.id desc`,
  );

/** Counting stops here on one side before it is tried on the other. */
const FEW = 10_000;

/**
 * The exact number of tasks behind the pages. Without a context and a time the counters know it. With a time, the smaller side
 * is counted: what is after it, or the rest before it, which is taken from the total.
 *
 * $1 scope, $2 context, $3 state, $4 since
 */
export function countStatement(filters: ListFilters): Statement {
  return once(
    name('count', filters),
    () => `with ${COUNTED} select (${countText(filters)})::bigint as n where ${PARAMETERS} and $1::int is not null`,
  );
}

function countText(filters: ListFilters): string {
  const state = filters.state ? ' and t.state = $3' : '';
  if (filters.context) return `select count(*) from task t where ${conditions(filters)}${state}`;
  const total = `(select coalesce(sum(n), 0)::bigint from counted${filters.state ? ' where state = $3' : ''})`;
  if (!filters.since) return `select ${total}`;
  const states = filters.state ? 'values ($3::smallint)' : 'select state from counted';
  const side = (comparison: '>=' | '<', most: string): string => `(select count(*) as n from (
    select from (${states}) as s(state) cross join lateral (
      select from task t where t.scope_id = $1 and t.listed and t.state = s.state and t.status_timestamp ${comparison} $4 limit ${most} + 1
    ) task limit ${most} + 1) tasks) side`;
  return `
    select coalesce(
      (select side.n from ${side('>=', String(FEW))} where side.n <= ${FEW}),
      (select ${total} - side.n from ${side('<', String(FEW))} where side.n <= ${FEW}),
      (select side.n from ${side('>=', `${total} / 2`)} where side.n <= ${total} / 2),
      (select ${total} - side.n from ${side('<', total)}))`;
}
