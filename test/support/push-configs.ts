import { randomBytes } from 'node:crypto';
import { SecretBox, type PushSecrets } from '#core';
import type { Cluster } from './cluster.js';
import type { PushReceiver } from './push-receiver.js';

/** 32 bytes, for CHORUS_ENCRYPTION_KEY. */
export const ENCRYPTION_KEY = randomBytes(32);

/** What a cluster needs for push notifications to receivers on this machine. */
export const PUSH_ENV = { CHORUS_ENCRYPTION_KEY: ENCRYPTION_KEY.toString('hex'), CHORUS_OUTBOUND_ALLOW: '127.0.0.1' };

export interface PushConfigOptions {
  readonly id?: string;
  readonly url?: string;
  readonly scheme?: string;
  readonly secrets?: PushSecrets;
  readonly everyEvent?: boolean;
  readonly protocolVersion?: '1.0' | '0.3';
}

/** Gives tasks a configuration each, to which all their events are owed. */
export async function addPushConfigs(
  cluster: Cluster,
  taskIds: readonly string[],
  receiver: Pick<PushReceiver, 'url'>,
  options: PushConfigOptions = {},
): Promise<void> {
  const { id = 'config', url = receiver.url, scheme, secrets, everyEvent = false, protocolVersion = '1.0' } = options;
  const box = new SecretBox({ key: ENCRYPTION_KEY });
  const client = await cluster.connect();
  try {
    await client.query(
      `insert into push_config (task_id, id, scope_id, protocol_version, url, receiver, scheme, secrets, every_event, created_at, cursor, due_at)
       select t.id, $2, t.scope_id, $3, $4, $5, $6, i.secrets, $7, now(), 0, now()
       from unnest($1::uuid[], $8::bytea[]) as i(task_id, secrets) join task t on t.id = i.task_id`,
      [
        ...[taskIds, id, protocolVersion, url, new URL(url).origin, scheme ?? null, everyEvent],
        taskIds.map((taskId) => (secrets ? box.seal(taskId, id, secrets) : null)),
      ],
    );
    await client.query('update task set pushes = true where id = any($1::uuid[])', [taskIds]);
  } finally {
    await client.end();
  }
}

export interface ConfigRow {
  readonly cursor: number;
  readonly finished: boolean;
  readonly failures: number;
  readonly dead_at: Date | null;
  readonly lease_owner: string | null;
}

export async function configOf(cluster: Cluster, taskId: string): Promise<ConfigRow> {
  const rows = await cluster.sql<ConfigRow & Record<string, unknown>>(
    `select cursor, finished, failures, dead_at, lease_owner from push_config where task_id = '${taskId}'`,
  );
  return rows[0] as ConfigRow;
}

/** How many configurations are not delivered to the end. */
export async function openConfigs(cluster: Cluster): Promise<number> {
  const [row] = await cluster.sql<{ n: number }>('select count(*)::int as n from push_config where not finished');
  return (row as { n: number }).n;
}
