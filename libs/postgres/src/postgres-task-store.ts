import {
  TaskStore,
  isTaskId,
  type AcceptFollowUp,
  type AcceptNew,
  type AcceptResult,
  type CallContext,
  type CancelResult,
  type ListQuery,
  type ListResult,
  type ReadCursor,
  type StoredTask,
  type TaskEvent,
} from '#core';
import type { JsonValue } from '#protocol';
import { Batcher } from './batcher.js';
import { run, type Pools } from './pools.js';
import { CANCEL } from './queries/cancel.js';
import { GET_TASKS, HEADS, READ_EVENTS } from './queries/read.js';
import { eventFromRow, stateFromRow, taskFromRow, type EventRow, type TaskRow } from './rows.js';
import { Scopes } from './scopes.js';
import { TaskAccepts } from './task-accepts.js';
import { TaskLists } from './task-lists.js';

interface TaskKey {
  readonly scope: number;
  readonly taskId: string;
}

interface LogRequest extends TaskKey {
  readonly after: number;
  readonly limit: number;
}

interface CancelRow {
  readonly outcome: CancelResult['outcome'];
  readonly state: number;
  readonly context_id: string;
  readonly origin: string;
  readonly lease_owner: string;
  readonly sequence: number;
  readonly turn: number;
  readonly requested_at: number;
  readonly pushes: boolean;
  readonly payload: string | null;
}

/** Reads of one task may share a statement: nothing is locked. */
const READS = { limit: 200, inFlight: 2 };

/** Tasks and their log in Postgres, as clients may see them. */
export class PostgresTaskStore extends TaskStore {
  readonly #scopes: Scopes;
  readonly #accepts: TaskAccepts;
  readonly #lists: TaskLists;
  readonly #gets: Batcher<TaskKey & { n: number }, StoredTask | undefined>;
  readonly #logs: Batcher<LogRequest & { n: number }, readonly TaskEvent[] | undefined>;
  #reads = 0;

  constructor(private readonly pools: Pools) {
    super();
    this.#scopes = new Scopes(pools.hot);
    this.#lists = new TaskLists(pools.lists);
    this.#accepts = new TaskAccepts(pools.hot, this.#scopes);
    this.#gets = new Batcher((items) => this.#getAll(items), { ...READS, key: ({ n }) => String(n) });
    this.#logs = new Batcher((items) => this.#readAll(items), { ...READS, key: ({ n }) => String(n) });
  }

  override acceptNew(ctx: CallContext, input: AcceptNew): Promise<AcceptResult> {
    return this.#accepts.acceptNew(ctx, input);
  }

  override acceptFollowUp(ctx: CallContext, input: AcceptFollowUp): Promise<AcceptResult> {
    return this.#accepts.acceptFollowUp(ctx, input);
  }

  override async get(ctx: CallContext, taskId: string, options?: { unlisted?: boolean }): Promise<StoredTask | undefined> {
    const key = await this.#key(ctx, taskId);
    const task = key && (await this.#gets.submit({ ...key, n: (this.#reads += 1) }));
    return task && (task.listed || options?.unlisted) ? task : undefined;
  }

  override async readEvents(
    ctx: CallContext,
    taskId: string,
    after: number,
    limit: number,
  ): Promise<readonly TaskEvent[] | undefined> {
    const key = await this.#key(ctx, taskId);
    return key && (await this.#logs.submit({ ...key, after, limit, n: (this.#reads += 1) }));
  }

  override async heads(cursors: readonly ReadCursor[]): Promise<ReadonlyMap<string, number>> {
    const lowest = new Map<string, { scope: number; after: number }>();
    const heads = new Map<string, number>();
    for (const { ctx, taskId, after } of cursors) {
      const key = await this.#key(ctx, taskId);
      const known = lowest.get(taskId);
      if (!key) heads.set(taskId, 0);
      else if (!known || after < known.after) lowest.set(taskId, { scope: key.scope, after });
    }
    const entries = [...lowest];
    if (entries.length === 0) return heads;
    const rows = await run<{ id: string; sequence: number }>(this.pools.hot, HEADS, [
      entries.map(([id]) => id),
      entries.map(([, { scope }]) => scope),
      entries.map(([, { after }]) => after),
    ]);
    for (const { id, sequence } of rows) heads.set(id, sequence);
    return heads;
  }

  override async list(ctx: CallContext, query: ListQuery): Promise<ListResult> {
    const scope = await this.#scopes.find(ctx);
    return scope === undefined ? { tasks: '', totalSize: 0 } : this.#lists.list(scope, query);
  }

  override async cancel(
    ctx: CallContext,
    taskId: string,
    options: { metadata?: JsonValue; force: boolean },
  ): Promise<CancelResult> {
    const key = await this.#key(ctx, taskId);
    if (!key) return { outcome: 'not-found' };
    const metadata = options.metadata === undefined ? null : JSON.stringify(options.metadata);
    const [row] = await run<CancelRow>(this.pools.hot, CANCEL, [taskId, key.scope, metadata, options.force]);
    if (!row) return { outcome: 'not-found' };
    switch (row.outcome) {
      case 'canceled':
        return {
          outcome: 'canceled',
          contextId: row.context_id,
          origin: row.origin,
          event: {
            taskId,
            sequence: row.sequence,
            kind: 'status',
            state: 'TASK_STATE_CANCELED',
            turn: row.turn,
            endsTurn: row.turn > 0,
            payload: row.payload as string,
            ...(row.pushes ? { pushes: true } : {}),
          },
        };
      case 'requested':
        return { outcome: 'requested', leaseOwner: row.lease_owner, requestedAt: row.requested_at };
      case 'not-cancelable':
        return { outcome: 'not-cancelable', state: stateFromRow(row.state) };
      default:
        return { outcome: row.outcome };
    }
  }

  async #key(ctx: CallContext, taskId: string): Promise<TaskKey | undefined> {
    if (!isTaskId(taskId)) return undefined;
    const scope = await this.#scopes.find(ctx);
    return scope === undefined ? undefined : { scope, taskId };
  }

  async #getAll(items: readonly TaskKey[]): Promise<(StoredTask | undefined)[]> {
    const keyOf = (scope: number, taskId: string): string => `${scope} ${taskId}`;
    const distinct = [...new Map(items.map((item) => [keyOf(item.scope, item.taskId), item])).values()];
    const rows = await run<TaskRow & { scope_id: number }>(this.pools.hot, GET_TASKS, [
      distinct.map(({ taskId }) => taskId),
      distinct.map(({ scope }) => scope),
    ]);
    const tasks = new Map(rows.map((row) => [keyOf(row.scope_id, row.id), taskFromRow(row)]));
    return items.map(({ scope, taskId }) => tasks.get(keyOf(scope, taskId)));
  }

  async #readAll(items: readonly LogRequest[]): Promise<(readonly TaskEvent[] | undefined)[]> {
    const rows = await run<EventRow & { n: number; found: boolean; without_metadata: boolean }>(this.pools.hot, READ_EVENTS, [
      items.map(({ taskId }) => taskId),
      items.map(({ scope }) => scope),
      items.map(({ after }) => after),
      items.map(({ limit }) => limit),
    ]);
    const logs = items.map((): TaskEvent[] | undefined => undefined);
    for (const row of rows) {
      if (!row.found) continue;
      const log = (logs[row.n - 1] ??= []);
      if (row.sequence === null) continue;
      const event = eventFromRow((items[row.n - 1] as LogRequest).taskId, row);
      log.push(row.ends_turn && row.without_metadata ? { ...event, withoutMetadata: true } : event);
    }
    return logs;
  }
}
