import { renderTask, type ListPosition, type ListQuery, type ListResult } from '#core';
import type { Task } from '#protocol';
import type pg from 'pg';
import { PageMemory } from './page-memory.js';
import { run } from './pools.js';
import { contentStatement, listAgainStatement, listStatement, TASK_SEPARATOR, type ListFlags } from './queries/list.js';
import { contentFromRow, stateNumber, type ContentRow } from './rows.js';

/** A page as `listStatement` answers it, and `listAgainStatement`. */
interface PageRow {
  /** Null when there are none, and in `listAgainStatement` when the page still has the mark. */
  readonly tasks: string | null;
  /** At most one more than the page has. */
  readonly rows: number;
  readonly mark: string;
  readonly total: number;
}

/** A task as `contentStatement` answers it; `id` is null in the one row of a page without tasks. */
interface FullRow extends Omit<ContentRow, 'id'> {
  readonly id: string | null;
  readonly status_timestamp: number;
  readonly total: number;
}

type Page = Omit<ListResult, 'totalSize'>;

/** Pages and exact totals. The text of a page that is read again and again is read once, and then asked for only when it has changed. */
export class TaskLists {
  readonly #memory = new PageMemory<Page>();

  constructor(private readonly pool: pg.Pool) {}

  async list(scope: number, query: ListQuery): Promise<ListResult> {
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
      ? contentPage(await run<FullRow>(this.pool, contentStatement(flags), values), query)
      : this.#written(flags, values, query);
  }

  async #written(flags: ListFlags, values: readonly unknown[], { limit }: ListQuery): Promise<ListResult> {
    const list = JSON.stringify(values);
    const known = this.#memory.get(list);
    // A page that changes from read to read would cost more to ask of than to read.
    const [row] = (await (known?.steady
      ? run<PageRow>(this.pool, listAgainStatement(flags), [...values, known.mark])
      : run<PageRow>(this.pool, listStatement(flags), values))) as [PageRow];
    const steady = row.mark === known?.mark;
    if (steady && known.steady) return { ...known.page, totalSize: row.total };
    const page = pageOf(row, limit);
    this.#memory.set(list, { mark: row.mark, steady, page });
    return { ...page, totalSize: row.total };
  }
}

function pageOf({ tasks, rows }: PageRow, limit: number): Page {
  if (tasks === null || rows <= limit) return { tasks: tasks ?? '' };
  // The last task's text has its position: columns of their own would make each answer longer to read.
  const page = tasks.slice(0, tasks.lastIndexOf(TASK_SEPARATOR));
  const { id, status } = JSON.parse(page.slice(page.lastIndexOf(TASK_SEPARATOR) + 1)) as Task;
  return { tasks: page, last: positionOf(Date.parse(status.timestamp as string), id) };
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
