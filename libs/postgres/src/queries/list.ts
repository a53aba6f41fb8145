import type { Statement } from '../pools.js';
import { LATER_EVENTS } from './fragments.js';

interface ListFilters {
  readonly context: boolean;
  readonly state: boolean;
  readonly since: boolean;
}

/** Which of a list's parameters count; each combination is a statement with a plan of its own. */
export interface ListFlags extends ListFilters {
  readonly after: boolean;
}

/** Casts that tell Postgres the type of a parameter that a combination does not use. */
const PARAMETERS = `$2::text is not distinct from $2 and $3::smallint is not distinct from $3 and $4::bigint is not distinct from $4
  and $5::bigint is not distinct from $5 and $6::uuid is not distinct from $6`;

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

const conditions = ({ context, since }: ListFilters, after: boolean): string =>
  [
    't.scope_id = $1 and t.listed',
    ...(context ? ['t.context_id = $2'] : []),
    ...(since ? ['t.status_timestamp >= $4'] : []),
    ...(after ? ['(t.status_timestamp, t.id) < ($5, $6::uuid)'] : []),
  ].join(' and ');

/** How many tasks the scope has in each state in which it has any. */
const COUNTED = `
counted as materialized (
  select state, sum(n)::bigint as n from task_count where scope_id = $1 group by state having sum(n) > 0
)`;

const COLUMNS = 't.id, t.context_id, t.status, t.metadata, t.status_timestamp';

/** The first $7 rows. Without a context, the index has a branch for each state: take the first of each instead of sorting them all. */
function firstRows(flags: ListFlags, columns: string): string {
  const rows = (state: string): string => `
    select ${columns} from task t where ${conditions(flags, flags.after)}${state && ` and t.state = ${state}`}
    order by t.status_timestamp desc, t.id desc limit $7`;
  if (flags.state) return rows('$3');
  if (flags.context) return rows('');
  return `
  select row.* from counted c cross join lateral (${rows('c.state')}) row
  order by row.status_timestamp desc, row.id desc limit $7`;
}

/** Between the tasks of a page. No text in these tables has a line end, so that what follows the last one is the last task. */
export const TASK_SEPARATOR = ',\n';

/** A task as ProtoJSON, without artifacts and history. */
const TASK_TEXT = `'{"id":"' || t.id::text || '","contextId":' || to_json(t.context_id)::text || ',"status":' || t.status
    || case when t.metadata is null then '}' else ',"metadata":' || t.metadata || '}' end`;

/**
 * Of the tasks of a page: equal for equal pages. Whatever is shown of a task without artifacts and history changes with its sequence
 * only, and so does its place; 64 bits tell pages of one list apart. Reads less than the text does.
 */
const MARK = 'coalesce(bit_xor(uuid_hash_extended(t.id, t.sequence)), 0)::text';

const MARKED_COLUMNS = 't.id, t.sequence, t.status_timestamp';

/**
 * One page, newest status first, ties by id, in one row: its text, the number of its tasks, one more than was asked for when
 * there is a next page, its mark, and the exact total. Fifty rows would take longer to read, and to make a text of, than to find.
 *
 * $1 scope, $2 context, $3 state, $4 since, $5 and $6 position of the page before, $7 tasks and one
 */
export const listStatement = (flags: ListFlags): Statement =>
  once(
    name('list', flags),
    () => `
with ${COUNTED}
select string_agg(${TASK_TEXT}, '${TASK_SEPARATOR}') as tasks, count(*) as rows, ${MARK} as mark, (${totalText(flags)})::bigint as total
from (${firstRows(flags, `${COLUMNS}, t.sequence`)}) t
where ${PARAMETERS}`,
  );

/**
 * The same for a reader that has the page: there is no text when its mark is still the reader's. That takes half as long; the text of a
 * page that has changed takes longer than by `listStatement`. Parameters as above, and $8 the mark.
 */
export const listAgainStatement = (flags: ListFlags): Statement =>
  once(
    name('list_again', flags),
    () => `
with ${COUNTED},
page as materialized (
  select ${MARK} as mark, count(*) as rows from (${firstRows(flags, MARKED_COLUMNS)}) t where ${PARAMETERS}
)
select page.mark, page.rows, (${totalText(flags)})::bigint as total,
  case when page.mark <> $8 then (
    select string_agg(${TASK_TEXT}, '${TASK_SEPARATOR}') from (${firstRows(flags, COLUMNS)}) t
  ) end as tasks
from page`,
  );

/**
 * The same page in a row for each task, with what its artifacts and its history are made of. Every row has the total; a page
 * without tasks is a row that has nothing else. Parameters as above.
 */
export const contentStatement = (flags: ListFlags): Statement =>
  once(
    name('list_content', flags),
    () => `
with ${COUNTED},
page as (
  select ${COLUMNS}, t.artifacts, t.history, ${LATER_EVENTS}
  from (${firstRows(flags, `${COLUMNS}, t.artifacts, t.history, t.snapshot_sequence`)}) t
)
select total.total, page.* from (select (${totalText(flags)})::bigint as total) total left join page on true
where ${PARAMETERS}
order by page.status_timestamp desc, page.id desc`,
  );

/** Counting stops here on one side before it is tried on the other. */
const FEW = 10_000;

/**
 * The exact number of tasks behind the pages. Without a context and a time the counters know it. With a time, the smaller side
 * is counted: what is after it, or the rest before it, which is taken from the total.
 */
function totalText(filters: ListFilters): string {
  const state = filters.state ? ' and t.state = $3' : '';
  if (filters.context) return `select count(*) from task t where ${conditions(filters, false)}${state}`;
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
