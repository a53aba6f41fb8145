import {
  isTaskId,
  type AcceptFollowUp,
  type AcceptNew,
  type AcceptRefusal,
  type AcceptResult,
  type Accepted,
  type CallContext,
  type PushConfigDraft,
} from '#core';
import type pg from 'pg';
import { Batcher } from './batcher.js';
import { isTaskTaken } from './errors.js';
import { run, transaction, type RunHere } from './pools.js';
import { putPushConfig } from './push-config-rows.js';
import { ACCEPT_FOLLOW_UP } from './queries/accept-follow-up.js';
import { ACCEPT_NEW } from './queries/accept-new.js';
import { FIND_ACCEPTED, FIND_KEY, FREE_KEY } from './queries/idempotency-key.js';
import { eventFromJson, stateFromRow } from './rows.js';
import type { Scopes } from './scopes.js';

interface NewTask {
  readonly scope: number;
  readonly input: AcceptNew;
  readonly message: string;
  readonly key: string | null;
}

interface FollowUpRow {
  readonly outcome: 'accepted' | 'terminal' | 'canceling' | 'context-mismatch' | 'key-taken';
  readonly state: number;
  readonly new_state: number;
  readonly context_id: string;
  readonly origin: string;
  readonly sequence: number;
  readonly turn: number;
  readonly lease_epoch: number;
  readonly pushes: boolean;
  readonly message: string | null;
  readonly payload: string | null;
}

interface AcceptedRow {
  readonly task_id: string;
  readonly turn: number;
  readonly context_id: string;
  readonly origin: string;
  readonly lease_epoch: number;
  /** Null when the task was purged. */
  readonly event: string | null;
}

interface NewRow {
  readonly id: string;
  readonly payload: string;
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
      weight: ({ message }) => message.length,
      inFlight: 1,
    });
  }

  async acceptNew(ctx: CallContext, input: AcceptNew): Promise<AcceptResult> {
    const scope = await this.scopes.findOrAdd(ctx);
    const message = JSON.stringify(input.message);
    const key = ctx.idempotencyKey ?? null;
    for (let tries = 1; tries <= MOST_TRIES; tries += 1) {
      const item = { scope, input, message, key };
      const payload = await (input.pushConfig === undefined
        ? this.#batcher.submit(item)
        : this.#insertPushed(item, input.pushConfig));
      if (payload !== undefined) return acceptedNew(input, payload, message);
      const earlier =
        (key === null ? undefined : await this.#replay(scope, key, input.requestHash)) ?? (await this.#repeated(scope, input));
      if (earlier) return earlier;
    }
    throw new Error(`task ${input.taskId} could be neither accepted nor found`);
  }

  async acceptFollowUp(ctx: CallContext, input: AcceptFollowUp): Promise<AcceptResult> {
    const scope = await this.scopes.find(ctx);
    if (scope === undefined) return { outcome: 'not-found' };
    const key = ctx.idempotencyKey ?? null;
    for (let tries = 1; tries <= MOST_TRIES; tries += 1) {
      const row = isTaskId(input.taskId) ? await this.#followUp(scope, key, input) : undefined;
      if (row === 'too-many') return { outcome: 'too-many-push-configs' };
      if (row?.outcome === 'accepted') return acceptedFollowUp(input.taskId, row);
      const earlier = key === null ? undefined : await this.#replay(scope, key, input.requestHash);
      if (earlier) return earlier;
      if (row?.outcome !== 'key-taken') return refusalOf(row);
    }
    throw new Error(`a message to task ${input.taskId} could be neither accepted nor found`);
  }

  async #insert(items: readonly NewTask[]): Promise<(string | undefined)[]> {
    const rows = await unlessTaken(run<NewRow>(this.pool, ACCEPT_NEW, columnsOf(items)), items);
    if (!rows) return [undefined];
    const payloads = new Map(rows.map(({ id, payload }) => [id, payload]));
    return items.map(({ input }) => payloads.get(input.taskId));
  }

  /** With its push configuration, so that no event comes before that. Not in a batch: who pushes does not wait for an answer. */
  async #insertPushed(item: NewTask, draft: PushConfigDraft): Promise<string | undefined> {
    const { scope, input } = item;
    const inserted = transaction(this.pool, async (within) => {
      const rows = await within<NewRow>(ACCEPT_NEW, columnsOf([item]));
      if (rows.length > 0) await putPushConfig(within, { taskId: input.taskId, scope, cursor: 0 }, draft);
      return rows;
    });
    return (await unlessTaken(inserted, [item]))?.[0]?.payload;
  }

  async #followUp(scope: number, key: string | null, input: AcceptFollowUp): Promise<FollowUpRow | 'too-many' | undefined> {
    const { pushConfig, taskId } = input;
    const values = followUpValues(scope, key, input);
    if (pushConfig === undefined) return (await run<FollowUpRow>(this.pool, ACCEPT_FOLLOW_UP, values))[0];
    return transaction(this.pool, async (within: RunHere) => {
      const [row] = await within<FollowUpRow>(ACCEPT_FOLLOW_UP, values);
      if (row?.outcome !== 'accepted') return row;
      const stored = await putPushConfig(within, { taskId, scope, cursor: row.sequence - 1 }, pushConfig);
      if (!stored) throw new TooManyPushConfigs();
      return { ...row, pushes: true };
    }).catch((error: unknown) => {
      if (error instanceof TooManyPushConfigs) return 'too-many' as const;
      throw error;
    });
  }

  /** What the key's first use was answered; undefined when it is free (again). A statement of its own: one
   * that began before the other's commit would not see it. */
  async #replay(scope: number, key: string, requestHash = ''): Promise<AcceptResult | undefined> {
    const [row] = await run<AcceptedRow & { request_hash: string }>(this.pool, FIND_KEY, [scope, key]);
    if (!row) return undefined;
    if (row.event === null) {
      await run(this.pool, FREE_KEY, [scope, key, row.task_id]);
      return undefined;
    }
    return row.request_hash === requestHash ? replayOf(row, row.event) : { outcome: 'key-mismatch' };
  }

  async #repeated(scope: number, { taskId }: AcceptNew): Promise<AcceptResult | undefined> {
    const [row] = await run<AcceptedRow>(this.pool, FIND_ACCEPTED, [scope, taskId]);
    return row?.event ? replayOf(row, row.event) : undefined;
  }
}

/** Takes the accept of a message back. */
class TooManyPushConfigs extends Error {}

/** Undefined when the only item is a task that exists: an accept of unknown outcome that is repeated. */
async function unlessTaken(inserted: Promise<NewRow[]>, items: readonly NewTask[]): Promise<NewRow[] | undefined> {
  try {
    return await inserted;
  } catch (error) {
    if (items.length === 1 && isTaskTaken(error)) return undefined;
    throw error;
  }
}

function columnsOf(items: readonly NewTask[]): readonly unknown[][] {
  const column = <T>(pick: (item: NewTask) => T): T[] => items.map(pick);
  return [
    column(({ input }) => input.taskId),
    column(({ scope }) => scope),
    column(({ input }) => input.contextId),
    column(({ input }) => input.origin),
    column(({ input }) => input.listed),
    column(({ message }) => message),
    column(({ input }) => requestText(input)),
    column(({ key }) => key),
    column(({ input }) => input.requestHash ?? ''),
  ];
}

function followUpValues(scope: number, key: string | null, input: AcceptFollowUp): readonly unknown[] {
  const { contextId: _, ...message } = input.message;
  return [
    input.taskId,
    scope,
    input.contextId ?? null,
    JSON.stringify({ ...message, taskId: input.taskId }),
    requestText(input),
    key,
    input.requestHash ?? '',
  ];
}

const acceptedNew = ({ taskId, contextId, origin, pushConfig }: AcceptNew, payload: string, message: string): Accepted => ({
  ...{ outcome: 'accepted', taskId, contextId, turn: 1, epoch: 0, origin },
  event: {
    ...{ taskId, sequence: 1, kind: 'accepted', state: 'TASK_STATE_SUBMITTED', turn: 1, endsTurn: false, payload, message },
    ...(pushConfig === undefined ? {} : { pushes: true }),
  },
});

const acceptedFollowUp = (taskId: string, row: FollowUpRow): Accepted => ({
  ...{ outcome: 'accepted', taskId, contextId: row.context_id, turn: row.turn, epoch: row.lease_epoch, origin: row.origin },
  event: {
    ...{ taskId, sequence: row.sequence, kind: 'accepted', state: stateFromRow(row.new_state), turn: row.turn, endsTurn: false },
    ...{ payload: row.payload as string, message: row.message as string },
    ...(row.pushes ? { pushes: true } : {}),
  },
});

const replayOf = (row: AcceptedRow, event: string): Accepted => ({
  ...{ outcome: 'replayed', taskId: row.task_id, contextId: row.context_id },
  ...{ turn: row.turn, epoch: row.lease_epoch, origin: row.origin },
  event: eventFromJson(row.task_id, event),
});

function refusalOf(row: FollowUpRow | undefined): AcceptRefusal {
  if (row?.outcome === 'terminal') return { outcome: 'terminal', state: stateFromRow(row.state) };
  return { outcome: row?.outcome === 'canceling' || row?.outcome === 'context-mismatch' ? row.outcome : 'not-found' };
}

/** What came with a message, for the executor; null when nothing did. */
function requestText({ requestMetadata, acceptedOutputModes, extensions }: AcceptFollowUp | AcceptNew): string | null {
  if (requestMetadata === undefined && acceptedOutputModes === undefined && extensions === undefined) return null;
  return JSON.stringify({ requestMetadata, acceptedOutputModes, extensions });
}
