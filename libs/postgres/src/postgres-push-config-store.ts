import {
  PushConfigStore,
  isTaskId,
  type CallContext,
  type PushConfig,
  type PushConfigDraft,
  type PushConfigPage,
  type PutResult,
} from '#core';
import { run, transaction, type Pools } from './pools.js';
import { putPushConfig } from './push-config-rows.js';
import { DELETE_PUSH_CONFIG, GET_PUSH_CONFIG, LIST_PUSH_CONFIGS, LOCK_PUSHED_TASK } from './queries/push-configs.js';
import { Scopes } from './scopes.js';

interface ConfigRow {
  readonly id: string;
  readonly url: string;
  readonly scheme: string | null;
}

/** The clients' side of push configurations in Postgres. */
export class PostgresPushConfigStore extends PushConfigStore {
  readonly #scopes: Scopes;

  constructor(private readonly pools: Pools) {
    super();
    this.#scopes = new Scopes(pools.hot);
  }

  override async put(ctx: CallContext, taskId: string, draft: PushConfigDraft): Promise<PutResult> {
    const scope = await this.#scopeOf(ctx, taskId);
    if (scope === undefined) return { outcome: 'not-found' };
    return transaction(this.pools.hot, async (within): Promise<PutResult> => {
      const [task] = await within<{ sequence: number; ended: boolean }>(LOCK_PUSHED_TASK, [taskId, scope]);
      if (!task) return { outcome: 'not-found' };
      // Of a task that has ended its end is owed, so that nobody waits for what cannot come any more.
      const cursor = task.ended ? task.sequence - 1 : task.sequence;
      const row = await putPushConfig(within, { taskId, scope, cursor }, draft);
      return row ? { outcome: 'stored', owed: row.open && row.cursor < task.sequence } : { outcome: 'too-many' };
    });
  }

  override async get(ctx: CallContext, taskId: string, id: string): Promise<PushConfig | undefined> {
    const scope = await this.#scopeOf(ctx, taskId);
    if (scope === undefined) return undefined;
    const [row] = await run<ConfigRow>(this.pools.hot, GET_PUSH_CONFIG, [taskId, scope, id]);
    return row && configOf(taskId, row);
  }

  override async list(
    ctx: CallContext,
    taskId: string,
    { after, limit }: { readonly after?: string; readonly limit: number },
  ): Promise<PushConfigPage | undefined> {
    const scope = await this.#scopeOf(ctx, taskId);
    if (scope === undefined) return undefined;
    const values = [taskId, scope, after ?? null, limit + 1];
    const rows = await run<{ id: string | null } & Omit<ConfigRow, 'id'>>(this.pools.hot, LIST_PUSH_CONFIGS, values);
    if (rows.length === 0) return undefined;
    const found = rows.filter((row): row is ConfigRow => row.id !== null);
    return { configs: found.slice(0, limit).map((row) => configOf(taskId, row)), more: found.length > limit };
  }

  override async delete(ctx: CallContext, taskId: string, id: string): Promise<boolean> {
    const scope = await this.#scopeOf(ctx, taskId);
    return scope !== undefined && (await run(this.pools.hot, DELETE_PUSH_CONFIG, [taskId, scope, id])).length > 0;
  }

  async #scopeOf(ctx: CallContext, taskId: string): Promise<number | undefined> {
    return isTaskId(taskId) ? this.#scopes.find(ctx) : undefined;
  }
}

const configOf = (taskId: string, { id, url, scheme }: ConfigRow): PushConfig => ({
  ...{ taskId, id, url },
  ...(scheme === null ? {} : { scheme }),
});
