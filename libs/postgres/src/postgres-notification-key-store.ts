import { NotificationKeyStore } from '#core';
import type { NewNotificationKey, NotificationKey } from '#core';
import { run, type Pools } from './pools.js';
import { ADD_NOTIFICATION_KEY, LIST_NOTIFICATION_KEYS, REMOVE_REPLACED_NOTIFICATION_KEYS } from './queries/notification-keys.js';

interface KeyRow {
  readonly generation: number;
  readonly public_key: string;
  readonly private_key: Buffer;
  readonly created_at: number;
  readonly signs: boolean;
}

/** The keys of push notifications in Postgres. */
export class PostgresNotificationKeyStore extends NotificationKeyStore {
  constructor(private readonly pools: Pools) {
    super();
  }

  override async list(): Promise<readonly NotificationKey[]> {
    return (await run<KeyRow>(this.pools.lists, LIST_NOTIFICATION_KEYS, [])).map((row) => ({
      ...{ generation: row.generation, publicKey: row.public_key, privateKey: row.private_key },
      ...{ createdAt: row.created_at, signs: row.signs },
    }));
  }

  override async add({ generation, publicKey, privateKey, signsInMs }: NewNotificationKey): Promise<boolean> {
    return (await run(this.pools.lists, ADD_NOTIFICATION_KEY, [generation, publicKey, privateKey, signsInMs])).length > 0;
  }

  override async removeReplaced(ageMs: number): Promise<number> {
    const [row] = await run<{ n: number }>(this.pools.lists, REMOVE_REPLACED_NOTIFICATION_KEYS, [ageMs]);
    return (row as { n: number }).n;
  }
}
