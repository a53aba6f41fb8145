import { renderTask, type ListPosition, type ListQuery, type ListResult } from '#core';
import type { Task } from '#protocol';
import type pg from 'pg';
import { run } from './pools.js';
import { contentStatement, listStatement, TASK_SEPARATOR, type ListFlags } from './queries/list.js';
import { contentFromRow, stateNumber, type ContentRow } from './rows.js';

/** A page as `listStatement` answers it. */
interface PageRow {
  readonly tasks: string | null;
  /** At most one more than the page has. */
  readonly rows: number;
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

function writtenPage({ tasks, rows, total }: PageRow, { limit }: ListQuery): ListResult {
  if (tasks === null || rows <= limit) return { tasks: tasks ?? '', totalSize: total };
  // The last task's text has its position: columns of their own would make each answer longer to read.
  const page = tasks.slice(0, tasks.lastIndexOf(TASK_SEPARATOR));
  const { id, status } = JSON.parse(page.slice(page.lastIndexOf(TASK_SEPARATOR) + 1)) as Task;
  return { tasks: page, last: positionOf(Date.parse(status.timestamp as string), id), totalSize: total };
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
