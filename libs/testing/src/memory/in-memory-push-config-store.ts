import { PushConfigStore } from '#core';
import type { CallContext, KeptPush, PushConfig, PushConfigDraft, PushConfigPage, PutResult } from '#core';
import { isTerminal } from '#protocol';
import type { InMemoryDatabase } from './in-memory-database.js';
import { type PushConfigRow, pushConfigKey } from './push-rows.js';
import { isVisible, type TaskRow } from './rows.js';

/** The clients' side of push configurations over an `InMemoryDatabase`, by the rules of the port. */
export class InMemoryPushConfigStore extends PushConfigStore {
  constructor(private readonly database: InMemoryDatabase) {
    super();
  }

  put(ctx: CallContext, taskId: string, draft: PushConfigDraft): Promise<PutResult> {
    return this.database.call('putPushConfig', (): PutResult => {
      const task = this.#find(ctx, taskId);
      if (!task) return { outcome: 'not-found' };
      const sequence = task.events.length;
      const row = putPushConfig(this.database, task, draft, isTerminal(task.state) ? sequence - 1 : sequence);
      return row ? { outcome: 'stored', owed: !row.finished && row.cursor < sequence } : { outcome: 'too-many' };
    });
  }

  get(ctx: CallContext, taskId: string, id: string): Promise<PushConfig | undefined> {
    return this.database.call('getPushConfig', () => {
      const row = this.#find(ctx, taskId) && this.database.pushConfigs.get(pushConfigKey(taskId, id));
      return row && shown(row);
    });
  }

  list(
    ctx: CallContext,
    taskId: string,
    { after = '', limit }: { readonly after?: string; readonly limit: number },
  ): Promise<PushConfigPage | undefined> {
    return this.database.call('listPushConfigs', () => {
      if (!this.#find(ctx, taskId)) return undefined;
      const rest = [...this.database.pushConfigs.values()]
        .filter((row) => row.taskId === taskId && row.id > after)
        .sort((a, b) => (a.id < b.id ? -1 : 1));
      return { configs: rest.slice(0, limit).map(shown), more: rest.length > limit };
    });
  }

  delete(ctx: CallContext, taskId: string, id: string): Promise<boolean> {
    return this.database.call('deletePushConfig', () => {
      if (!this.#find(ctx, taskId)) return false;
      this.database.pushConfigs.delete(pushConfigKey(taskId, id));
      return true;
    });
  }

  #find(ctx: CallContext, taskId: string): TaskRow | undefined {
    const row = this.database.tasks.get(taskId);
    return row?.listed && isVisible(row, ctx) ? row : undefined;
  }
}

/** `cursor`: the last event that a new configuration is not owed. Undefined when the task has as many as it may have. */
export function putPushConfig(
  database: InMemoryDatabase,
  task: TaskRow,
  draft: PushConfigDraft,
  cursor: number,
): PushConfigRow | undefined {
  const { taskId } = task;
  const { id, url, receiver, everyEvent, protocolVersion, most, protect } = draft;
  const known = database.pushConfigs.get(pushConfigKey(taskId, id));
  const others = [...database.pushConfigs.values()].filter((row) => row.taskId === taskId && row.id !== id).length;
  if (!known && others >= most) return undefined;
  const now = database.now();
  const row: PushConfigRow = {
    ...{ taskId, id, url, receiver, everyEvent, protocolVersion, createdAt: known?.createdAt ?? now, dueAt: now, failures: 0 },
    ...protect(known && keptOf(known)),
    ...{ cursor: known?.cursor ?? cursor, finished: known?.finished ?? false },
    epoch: known === undefined ? Math.floor(Math.random() * 1_000_000_000) : known.epoch + 1,
  };
  database.pushConfigs.set(pushConfigKey(taskId, id), row);
  task.pushes = true;
  return row;
}

const keptOf = ({ receiver, scheme, secrets }: PushConfigRow): KeptPush => ({
  receiver,
  ...(scheme === undefined ? {} : { scheme }),
  ...(secrets === undefined ? {} : { secrets }),
});

const shown = ({ taskId, id, url, scheme }: PushConfigRow): PushConfig => ({
  ...{ taskId, id, url },
  ...(scheme === undefined ? {} : { scheme }),
});
