import { renderTask, type ListPosition, type ListQuery, type ListResult } from '#core';
import type pg from 'pg';
import { run } from './pools.js';
import { contentStatement, listStatement, TASK_SEPARATOR, type ListFlags } from './queries/list.js';
import { contentFromRow, stateNumber, type ContentRow } from './rows.js';

/** A page as `listStatement` answers it. */
interface PageRow {
  readonly tasks: string | null;
  /** At most one more than the page has. */
  readonly rows: number;
  /** Of the page's last task, when there is a next page. */
  readonly last_timestamp: number | null;
  readonly last_id: string | null;
  readonly total: number;
}

/** A task as `contentStatement` answers it; `id` is null in the one row of a page without tasks. */
interface FullRow extends Omit<ContentRow, 'id'> {
  readonly id: string | null;
  readonly status_timestamp: number;
  readonly total: number;
}

/** Pages and exact totals of one scope. */
export async function listTasks(pool: pg.Pool, scope: number, query: ListQuery): Promise<ListResult> {
  const flags: ListFlags = {
    context: query.contextId !== undefined,
    state: query.state !== undefined,
    since: query.statusTimestampAfter !== undefined,
    after: query.after !== undefined,
  };
  const values = [
    scope,
    query.contextId ?? null,
    query.state === undefined ? null : stateNumber(query.state),
    query.statusTimestampAfter ?? null,
    query.after?.statusTimestamp ?? null,
    query.after?.taskId ?? null,
    query.limit + 1,
  ];
  const { artifacts, historyLength } = query.view;
  return artifacts || historyLength > 0
    ? contentPage(await run<FullRow>(pool, contentStatement(flags), values), query)
    : writtenPage((await run<PageRow>(pool, listStatement(flags), values))[0] as PageRow, query);
}

function writtenPage({ tasks, rows, last_timestamp, last_id, total }: PageRow, { limit }: ListQuery): ListResult {
  const hasMore = rows > limit;
  return {
    tasks: hasMore ? (tasks as string).slice(0, (tasks as string).lastIndexOf(TASK_SEPARATOR)) : (tasks ?? ''),
    ...(hasMore ? { last: positionOf(last_timestamp as number, last_id as string) } : {}),
    totalSize: total,
  };
}

function contentPage(rows: readonly FullRow[], { limit, view }: ListQuery): ListResult {
  const found = rows.filter((row): row is FullRow & ContentRow => row.id !== null);
  const page = found.slice(0, limit);
  const last = found.length > limit ? page.at(-1) : undefined;
  return {
    tasks: page.map((row) => renderTask(contentFromRow(row), view)).join(),
    ...(last && { last: positionOf(last.status_timestamp, last.id) }),
    totalSize: rows[0]?.total ?? 0,
  };
}

const positionOf = (statusTimestamp: number, taskId: string): ListPosition => ({ statusTimestamp, taskId });
