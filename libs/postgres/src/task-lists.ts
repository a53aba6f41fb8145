import type { ListQuery, ListResult } from '#core';
import type pg from 'pg';
import { run } from './pools.js';
import { countStatement, listStatement, type ListFilters } from './queries/list.js';
import { contentFromRow, stateNumber, type ContentRow } from './rows.js';

/** Pages and exact totals of one scope. */
export async function listTasks(pool: pg.Pool, scope: number, query: ListQuery): Promise<ListResult> {
  const filters: ListFilters = {
    context: query.contextId !== undefined,
    state: query.state !== undefined,
    since: query.statusTimestampAfter !== undefined,
  };
  const values = [
    scope,
    query.contextId ?? null,
    query.state === undefined ? null : stateNumber(query.state),
    query.statusTimestampAfter ?? null,
  ];
  const page = listStatement({ ...filters, after: query.after !== undefined, content: query.withContent });
  const rows = await run<ContentRow & { status_timestamp: number; total: number }>(pool, page, [
    ...values,
    query.after?.statusTimestamp ?? null,
    query.after?.taskId ?? null,
    query.limit + 1,
  ]);
  return {
    tasks: rows.slice(0, query.limit).map((row) => Object.assign(contentFromRow(row), { statusTimestamp: row.status_timestamp })),
    hasMore: rows.length > query.limit,
    totalSize: rows[0]?.total ?? (await countTasks(pool, filters, values)),
  };
}

async function countTasks(pool: pg.Pool, filters: ListFilters, values: readonly unknown[]): Promise<number> {
  const [row] = await run<{ n: number }>(pool, countStatement(filters), values);
  return row?.n ?? 0;
}
