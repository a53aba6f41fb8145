import { PushLedger } from '#core';
import type { LedgerEntry, PushConfigQuery, PushConfigState, PushOwner, PushTarget } from '#core';
import type { InMemoryDatabase } from './in-memory-database.js';
import type { PushConfigRow } from './push-rows.js';
import type { TaskRow } from './rows.js';

/** The operators' side of the deliveries over an `InMemoryDatabase`, by the rules of the port. */
export class InMemoryPushLedger extends PushLedger {
  constructor(private readonly database: InMemoryDatabase) {
    super();
  }

  configs({ dead, limit, ...meant }: PushConfigQuery): Promise<readonly PushConfigState[]> {
    return this.database.call('pushConfigs', () =>
      this.#meant(meant)
        .filter(({ config }) => !dead || config.deadAt !== undefined)
        .sort((a, b) => (dead ? (b.config.deadAt ?? 0) - (a.config.deadAt ?? 0) : 0) || byName(b.config, a.config))
        .slice(0, limit)
        .map(stateOf),
    );
  }

  deliveries(target: PushTarget, limit: number): Promise<readonly LedgerEntry[]> {
    return this.database.call('pushDeliveries', () => {
      const task = this.database.tasks.get(target.taskId);
      return this.database.pushDeliveries
        .filter(({ taskId }) => taskId === target.taskId && is(target.tenant, task?.tenant) && is(target.agentId, task?.agentId))
        .filter(({ configId }) => is(target.configId, configId))
        .reverse()
        .slice(0, limit);
    });
  }

  redeliver(target: PushTarget, from?: number): Promise<number> {
    return this.database.call('redeliver', () => {
      const meant = this.#meant(target);
      for (const { config, task } of meant) {
        const cursor = from === undefined ? config.cursor : Math.min(from - 1, task.events.length);
        const finished = config.finished && cursor >= config.cursor;
        Object.assign(config, { cursor, finished });
        this.#anew(config);
      }
      return meant.length;
    });
  }

  redeliverDead({ receiver, ...owner }: PushOwner & { readonly receiver?: string }, limit: number): Promise<number> {
    return this.database.call('redeliverDead', () => {
      const dead = this.#meant(owner).filter(({ config }) => config.deadAt !== undefined && is(receiver, config.receiver));
      for (const { config } of dead.slice(0, limit)) this.#anew(config);
      return Math.min(dead.length, limit);
    });
  }

  #anew(config: PushConfigRow): void {
    Object.assign(config, { failures: 0, failingSince: undefined, deadAt: undefined });
    Object.assign(config, { dueAt: this.database.now(), lease: undefined, epoch: config.epoch + 1 });
  }

  #meant({ tenant, agentId, taskId, configId }: Partial<PushTarget>): { config: PushConfigRow; task: TaskRow }[] {
    return [...this.database.pushConfigs.values()].flatMap((config) => {
      const task = this.database.tasks.get(config.taskId);
      const isOwned = is(tenant, task?.tenant) && is(agentId, task?.agentId);
      return task && isOwned && is(taskId, config.taskId) && is(configId, config.id) ? [{ config, task }] : [];
    });
  }
}

const is = (wanted: string | undefined, value: string | undefined): boolean => wanted === undefined || wanted === value;

const byName = (a: PushConfigRow, b: PushConfigRow): number => (a.taskId + a.id < b.taskId + b.id ? -1 : 1);

const stateOf = ({ config, task }: { config: PushConfigRow; task: TaskRow }): PushConfigState => ({
  ...{ taskId: config.taskId, configId: config.id, tenant: task.tenant, agentId: task.agentId, receiver: config.receiver },
  ...{ cursor: config.cursor, sequence: task.events.length, failures: config.failures },
  state: config.deadAt !== undefined ? 'dead' : config.finished ? 'finished' : 'open',
  ...(config.failingSince === undefined ? {} : { failingSince: config.failingSince }),
  ...(config.deadAt === undefined ? {} : { deadAt: config.deadAt }),
});
