import type {
  AcceptFollowUp,
  AcceptNew,
  AcceptResult,
  CallContext,
  CancelResult,
  ListQuery,
  ListResult,
  ReadCursor,
  StoredTask,
  TaskEvent,
} from '#core';
import { endingStatus, renderTask, TaskStore } from '#core';
import { isInterrupted, isTerminal, type JsonValue, type TaskState } from '#protocol';
import type { InMemoryDatabase } from './in-memory-database.js';
import { putPushConfig } from './in-memory-push-config-store.js';
import { pushConfigKey } from './push-rows.js';
import { answered, appendStatus, endTask, isVisible, keyOf, pendingOf, restartHints, storedTask, type TaskRow } from './rows.js';

const KEY_LIFETIME_MS = 24 * 60 * 60 * 1000;
const CONTRACT = 1;

/** The client's side of the store over an `InMemoryDatabase`, by the rules of the port. */
export class InMemoryTaskStore extends TaskStore {
  constructor(private readonly database: InMemoryDatabase) {
    super();
  }

  acceptNew(ctx: CallContext, input: AcceptNew): Promise<AcceptResult> {
    return this.database.call('acceptNew', () => this.#replay(ctx, input) ?? this.#acceptNew(ctx, input));
  }

  acceptFollowUp(ctx: CallContext, input: AcceptFollowUp): Promise<AcceptResult> {
    return this.database.call('acceptFollowUp', () => this.#replay(ctx, input) ?? this.#acceptFollowUp(ctx, input));
  }

  get(ctx: CallContext, taskId: string, options: { unlisted?: boolean } = {}): Promise<StoredTask | undefined> {
    return this.database.call('get', () => {
      const row = this.#find(ctx, taskId);
      return row && (row.listed || options.unlisted) ? storedTask(row) : undefined;
    });
  }

  readEvents(ctx: CallContext, taskId: string, after: number, limit: number): Promise<readonly TaskEvent[] | undefined> {
    return this.database.call('readEvents', () => {
      const row = this.#find(ctx, taskId);
      const withoutMetadata = row !== undefined && row.metadata === undefined;
      return row?.events
        .slice(after, after + limit)
        .map((event) => (withoutMetadata && event.endsTurn ? { ...event, withoutMetadata } : event));
    });
  }

  heads(cursors: readonly ReadCursor[]): Promise<ReadonlyMap<string, number>> {
    return this.database.call('heads', () => {
      const heads = new Map<string, number>();
      for (const { ctx, taskId, after } of cursors) {
        const sequence = this.#find(ctx, taskId)?.events.length ?? 0;
        if (sequence === 0 || sequence > after) heads.set(taskId, sequence);
      }
      return heads;
    });
  }

  list(ctx: CallContext, query: ListQuery): Promise<ListResult> {
    return this.database.call('list', () => {
      const { contextId, state, statusTimestampAfter = Number.NEGATIVE_INFINITY, after, limit, view } = query;
      const matching = [...this.database.tasks.values()]
        .filter((row) => isVisible(row, ctx) && row.listed)
        .filter((row) => contextId === undefined || row.contextId === contextId)
        .filter((row) => state === undefined || row.state === state)
        .filter((row) => row.statusTimestamp >= statusTimestampAfter)
        .sort(byPosition);
      const rest = after ? matching.filter((row) => byPosition(after, row) < 0) : matching;
      const page = rest.slice(0, limit);
      const last = rest.length > limit ? page.at(-1) : undefined;
      return {
        tasks: page.map((row) => renderTask(storedTask(row), view)).join(),
        ...(last && { last: { statusTimestamp: last.statusTimestamp, taskId: last.taskId } }),
        totalSize: matching.length,
      };
    });
  }

  cancel(ctx: CallContext, taskId: string, { metadata, force }: { metadata?: JsonValue; force: boolean }): Promise<CancelResult> {
    return this.database.call('cancel', (): CancelResult => {
      const row = this.#find(ctx, taskId);
      if (!row?.listed) return { outcome: 'not-found' };
      if (row.state === 'TASK_STATE_CANCELED') return { outcome: 'already-canceled' };
      if (isTerminal(row.state)) return { outcome: 'not-cancelable', state: row.state };
      const now = this.database.now();
      row.cancel ??= { requestedAt: now, ...(metadata === undefined ? {} : { metadata }) };
      if (row.lease && !force) return { outcome: 'requested', leaseOwner: row.lease.owner, requestedAt: row.cancel.requestedAt };
      const event = endTask(row, endingStatus(row, now), 'TASK_STATE_CANCELED');
      return { outcome: 'canceled', contextId: row.contextId, origin: row.origin, event };
    });
  }

  /** The answer to a request that was accepted before, under its key or as the same new task. */
  #replay(ctx: CallContext, input: AcceptNew | AcceptFollowUp): AcceptResult | undefined {
    const key = this.database.keys.get(keyOf(ctx) ?? '');
    const keyed = key && key.expiresAt > this.database.now() ? this.#find(ctx, key.taskId) : undefined;
    if (key && keyed) return key.requestHash === input.requestHash ? replayed(keyed, key.turn) : { outcome: 'key-mismatch' };
    const known = 'origin' in input ? this.#find(ctx, input.taskId) : undefined;
    return known && replayed(known, 1);
  }

  #acceptNew(ctx: CallContext, input: AcceptNew): AcceptResult {
    const { taskId, contextId, origin, listed } = input;
    const row: TaskRow = {
      ...{ taskId, contextId, origin, listed, tenant: ctx.tenant, owner: ctx.principal.id, agentId: ctx.agentId },
      ...{ state: 'TASK_STATE_SUBMITTED', status: '', statusTimestamp: 0, events: [], turns: [] },
      ...{ ended: 0, lostAttempts: 0, appendNo: 0, epoch: 0, hintedAt: 0, hints: 0, contract: CONTRACT },
      policy: { recovery: 'retry', maxAttempts: 1 },
    };
    this.database.tasks.set(taskId, row);
    return this.#accept(ctx, row, input, 'TASK_STATE_SUBMITTED');
  }

  #acceptFollowUp(ctx: CallContext, input: AcceptFollowUp): AcceptResult {
    const row = this.#find(ctx, input.taskId);
    if (!row?.listed) return { outcome: 'not-found' };
    if (isTerminal(row.state)) return { outcome: 'terminal', state: row.state };
    if (row.cancel) return { outcome: 'canceling' };
    if (input.contextId !== undefined && input.contextId !== row.contextId) return { outcome: 'context-mismatch' };
    if (!this.#hasRoom(row, input)) return { outcome: 'too-many-push-configs' };
    return this.#accept(ctx, row, input, isInterrupted(row.state) ? 'TASK_STATE_SUBMITTED' : row.state);
  }

  #accept(ctx: CallContext, row: TaskRow, input: AcceptNew | AcceptFollowUp, state: TaskState): AcceptResult {
    const { taskId, contextId } = row;
    if (input.pushConfig) putPushConfig(this.database, row, input.pushConfig, row.events.length);
    const now = this.database.now();
    const turn = row.turns.length + 1;
    const message = JSON.stringify({ ...input.message, taskId, contextId });
    const event = { ...appendStatus(row, endingStatus(row, now), state, { kind: 'accepted', turn, endsTurn: false }), message };
    row.events[event.sequence - 1] = Object.freeze(event);
    if (pendingOf(row) === 0) restartHints(row, now);
    row.turns.push({
      sequence: event.sequence,
      message,
      ...(input.requestMetadata === undefined ? {} : { requestMetadata: input.requestMetadata }),
      ...(input.extensions === undefined ? {} : { extensions: input.extensions }),
      ...(input.acceptedOutputModes === undefined ? {} : { acceptedOutputModes: input.acceptedOutputModes }),
    });
    const key = keyOf(ctx);
    if (key !== undefined) {
      this.database.keys.set(key, { taskId, turn, requestHash: input.requestHash ?? '', expiresAt: now + KEY_LIFETIME_MS });
    }
    return { outcome: 'accepted', taskId, contextId, turn, epoch: row.epoch, origin: row.origin, event: answered(row, event) };
  }

  #hasRoom({ taskId }: TaskRow, { pushConfig }: AcceptFollowUp): boolean {
    const { pushConfigs } = this.database;
    if (pushConfig === undefined || pushConfigs.has(pushConfigKey(taskId, pushConfig.id))) return true;
    return [...pushConfigs.values()].filter((config) => config.taskId === taskId).length < pushConfig.most;
  }

  #find(ctx: CallContext, taskId: string): TaskRow | undefined {
    const row = this.database.tasks.get(taskId);
    return row && isVisible(row, ctx) ? row : undefined;
  }
}

function replayed(row: TaskRow, turn: number): AcceptResult {
  const { taskId, contextId, epoch, origin, turns, events } = row;
  const event = events[(turns[turn - 1]?.sequence ?? 1) - 1] as TaskEvent;
  return { outcome: 'replayed', taskId, contextId, turn, epoch, origin, event };
}

interface Position {
  readonly statusTimestamp: number;
  readonly taskId: string;
}

/** Newest status first, ties by id descending. */
const byPosition = (a: Position, b: Position): number =>
  b.statusTimestamp - a.statusTimestamp || (a.taskId < b.taskId ? 1 : a.taskId > b.taskId ? -1 : 0);
