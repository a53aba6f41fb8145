import { countErasable, eraseData, erasureOf, isTaskId, type Erasable, type Erased } from '#core';
import { ConfigError } from '#platform';
import { PostgresErasureStore } from '#postgres';
import { audited } from '../audit/audited.js';
import { withDatabase } from '../with-database.js';

/** As they come from the command line. */
export interface EraseOptions {
  readonly tenant?: string;
  readonly principal?: string;
  readonly agent?: string;
  readonly context?: string;
  readonly task?: string;
}

/** A statement may have to look at every task of a tenant. */
const PATIENCE_MS = 600_000;

/** What `erase` would delete. @throws ConfigError for options that mean nothing, or as `withDatabase` */
export async function count(options: EraseOptions): Promise<Erased> {
  const what = erasableOf(options);
  return withDatabase((pools) => countErasable(new PostgresErasureStore(pools), what), PATIENCE_MS);
}

/** Deletes what is meant. @throws as `count` */
export async function erase(options: EraseOptions): Promise<Erased> {
  const what = erasableOf(options);
  return withDatabase(
    (pools) => audited(pools, erasureOf(what), () => eraseData(new PostgresErasureStore(pools), what)),
    PATIENCE_MS,
  );
}

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
