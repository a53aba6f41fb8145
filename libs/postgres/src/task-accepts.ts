import type { AcceptFollowUp, AcceptNew, AcceptResult, Accepted, CallContext } from '#core';
import type { TaskState } from '#protocol';
import type pg from 'pg';
import { Batcher } from './batcher.js';
import { mayRepeat, storeError } from './errors.js';
import { run } from './pools.js';
import { ACCEPT_FOLLOW_UP } from './queries/accept-follow-up.js';
import { ACCEPT_NEW } from './queries/accept-new.js';
import { FIND_KEY, SET_KEY_TURN, TAKE_KEY } from './queries/idempotency-key.js';
import { eventFromJson, isTaskId, stateFromRow } from './rows.js';
import type { Scopes } from './scopes.js';

interface NewTask {
  readonly scope: number;
  readonly input: AcceptNew;
  readonly message: string;
  readonly key: string | null;
}

interface FollowUpRow {
  readonly outcome: 'accepted' | 'terminal' | 'canceling' | 'context-mismatch';
  readonly state: number;
  readonly new_state: number;
  readonly context_id: string;
  readonly sequence: number;
  readonly turn: number;
  readonly lease_epoch: number;
  readonly message: string | null;
  readonly payload: string | null;
}

interface KeyRow {
  readonly task_id: string;
  readonly turn: number;
  readonly request_hash: string;
  readonly context_id: string;
  readonly lease_epoch: number;
  readonly event: string;
}

const MOST_TRIES = 5;

/** The accepting half of the task store. */
export class TaskAccepts {
  readonly #batcher: Batcher<NewTask, string | undefined>;

  constructor(
    private readonly pool: pg.Pool,
    private readonly scopes: Scopes,
  ) {
    this.#batcher = new Batcher((items) => this.#insert(items), {
      key: ({ scope, key, input }) => (key === null ? input.taskId : `${scope} ${key}`),
      limit: 100,
      inFlight: 2,
    });
  }

  async acceptNew(ctx: CallContext, input: AcceptNew): Promise<AcceptResult> {
    const scope = await this.scopes.findOrAdd(ctx);
    const message = JSON.stringify(input.message);
    const payload = await this.#batcher.submit({ scope, input, message, key: ctx.idempotencyKey ?? null });
    if (payload === undefined) return this.#replay(scope, ctx.idempotencyKey as string, input.requestHash);
    return {
      outcome: 'accepted',
      taskId: input.taskId,
      contextId: input.contextId,
      turn: 1,
      epoch: 0,
      event: {
        ...{ taskId: input.taskId, sequence: 1, kind: 'accepted', state: 'TASK_STATE_SUBMITTED', turn: 1, endsTurn: false },
        ...{ payload, message },
      } as Accepted['event'],
    };
  }

  async acceptFollowUp(ctx: CallContext, input: AcceptFollowUp): Promise<AcceptResult> {
    const scope = await this.scopes.find(ctx);
    if (scope === undefined || !isTaskId(input.taskId)) return { outcome: 'not-found' };
    for (let tries = 1; ; tries += 1) {
      try {
        return await (ctx.idempotencyKey === undefined
          ? this.#followUp(this.pool, scope, input)
          : this.#followUpOnce(scope, ctx.idempotencyKey, input));
      } catch (error) {
        if (!mayRepeat(error) || tries === MOST_TRIES) throw error;
      }
    }
  }

  async #insert(items: readonly NewTask[]): Promise<(string | undefined)[]> {
    const column = <T>(pick: (item: NewTask) => T): T[] => items.map(pick);
    const rows = await run<{ id: string; payload: string }>(this.pool, ACCEPT_NEW, [
      column(({ input }) => input.taskId),
      column(({ scope }) => scope),
      column(({ input }) => input.contextId),
      column(({ input }) => input.origin),
      column(({ input }) => input.listed),
      column(({ message }) => message),
      column(({ input }) => requestText(input)),
      column(({ key }) => key),
      column(({ input }) => input.requestHash ?? ''),
    ]);
    const payloads = new Map(rows.map(({ id, payload }) => [id, payload]));
    return items.map(({ input }) => payloads.get(input.taskId));
  }

  async #followUp(client: pg.Pool | pg.PoolClient, scope: number, input: AcceptFollowUp): Promise<AcceptResult> {
    const { contextId: _, ...message } = input.message;
    const [row] = await run<FollowUpRow>(client, ACCEPT_FOLLOW_UP, [
      input.taskId,
      scope,
      input.contextId ?? null,
      JSON.stringify({ ...message, taskId: input.taskId }),
      requestText(input),
    ]);
    if (!row) return { outcome: 'not-found' };
    if (row.outcome === 'terminal') return { outcome: 'terminal', state: stateFromRow(row.state) };
    if (row.outcome !== 'accepted') return { outcome: row.outcome };
    return {
      outcome: 'accepted',
      taskId: input.taskId,
      contextId: row.context_id,
      turn: row.turn,
      epoch: row.lease_epoch,
      event: {
        ...{ taskId: input.taskId, sequence: row.sequence, kind: 'accepted' as const, state: stateFromRow(row.new_state) as TaskState },
        ...{ turn: row.turn, endsTurn: false, payload: row.payload as string, message: row.message as string },
      },
    };
  }

  /** Key and message in one transaction; a refused message leaves the key free. */
  async #followUpOnce(scope: number, key: string, input: AcceptFollowUp): Promise<AcceptResult> {
    const client = await this.pool.connect().catch((error: unknown) => {
      throw storeError(error);
    });
    let broken: Error | undefined;
    try {
      await client.query('begin');
      const [taken] = await run(client, TAKE_KEY, [scope, key, input.taskId, input.requestHash ?? '']);
      if (!taken) {
        await client.query('rollback');
        return await this.#replay(scope, key, input.requestHash);
      }
      const result = await this.#followUp(client, scope, input);
      if (result.outcome !== 'accepted') {
        await client.query('rollback');
        return result;
      }
      await run(client, SET_KEY_TURN, [scope, key, result.turn]);
      await client.query('commit');
      return result;
    } catch (error) {
      broken = error as Error;
      throw storeError(error);
    } finally {
      // A connection in the middle of a transaction is not given back.
      client.release(broken);
    }
  }

  async #replay(scope: number, key: string, requestHash: string | undefined): Promise<AcceptResult> {
    const [row] = await run<KeyRow>(this.pool, FIND_KEY, [scope, key]);
    if (!row || row.request_hash !== requestHash) return { outcome: 'key-mismatch' };
    return {
      outcome: 'replayed',
      taskId: row.task_id,
      contextId: row.context_id,
      turn: row.turn,
      epoch: row.lease_epoch,
      event: eventFromJson(row.task_id, row.event),
    };
  }
}

/** What came with a message, for the executor; null when nothing did. */
function requestText({ requestMetadata, acceptedOutputModes }: AcceptFollowUp | AcceptNew): string | null {
  if (requestMetadata === undefined && acceptedOutputModes === undefined) return null;
  return JSON.stringify({ requestMetadata, acceptedOutputModes });
}
