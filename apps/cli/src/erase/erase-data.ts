import { isTaskId, type Erasable } from '#core';
import { ConfigError } from '#platform';
import { PostgresErasureStore } from '#postgres';
import { withDatabase } from '../with-database.js';

/** As they come from the command line. */
export interface EraseOptions {
  readonly tenant?: string;
  readonly principal?: string;
  readonly agent?: string;
  readonly context?: string;
  readonly task?: string;
}

export interface Erased {
  readonly tasks: number;
  readonly apiKeys: number;
}

const BATCH = 500;
/** A statement may have to look at every task of a tenant. */
const PATIENCE_MS = 600_000;

/** How many tasks are meant. @throws ConfigError for options that mean nothing, or as `withDatabase` */
export async function countErasable(options: EraseOptions): Promise<number> {
  const what = erasableOf(options);
  return withDatabase((pools) => new PostgresErasureStore(pools).count(what), PATIENCE_MS);
}

/** Deletes what is meant; whoever stops it halfway can begin again. @throws as `countErasable` */
export async function eraseData(options: EraseOptions): Promise<Erased> {
  const what = erasableOf(options);
  return withDatabase(async (pools) => {
    const store = new PostgresErasureStore(pools);
    // First, so that nobody who is erased adds to it meanwhile.
    const apiKeys = isWholeAccount(what) ? await store.eraseApiKeys(what) : 0;
    let tasks = 0;
    for (;;) {
      const gone = await store.erase(what, BATCH);
      tasks += gone;
      if (gone < BATCH) return { tasks, apiKeys };
    }
  }, PATIENCE_MS);
}

const isWholeAccount = ({ agentId, contextId, taskId }: Erasable): boolean => (agentId ?? contextId ?? taskId) === undefined;

function erasableOf({ tenant, principal, agent, context, task }: EraseOptions): Erasable {
  if ([tenant, principal, agent, context, task].every((option) => option === undefined)) {
    throw new ConfigError('Say whose data: --tenant, --principal, --agent, --context or --task, any of them together');
  }
  if (task !== undefined && !isTaskId(task)) throw new ConfigError(`--task ${task} is not the id of a task`);
  return {
    tenant: tenant ?? '',
    ...(principal === undefined ? {} : { principal }),
    ...(agent === undefined ? {} : { agentId: agent }),
    ...(context === undefined ? {} : { contextId: context }),
    ...(task === undefined ? {} : { taskId: task }),
  };
}
