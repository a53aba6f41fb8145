import { NotificationKeyStore } from '#core';
import type { NewNotificationKey, NotificationKey } from '#core';
import type { InMemoryDatabase } from './in-memory-database.js';

/** The keys of push notifications over an `InMemoryDatabase`, by the rules of the port. */
export class InMemoryNotificationKeyStore extends NotificationKeyStore {
  constructor(private readonly database: InMemoryDatabase) {
    super();
  }

  override list(): Promise<readonly NotificationKey[]> {
    return this.database.call('listNotificationKeys', () =>
      this.database.notificationKeys
        .map(({ signsFrom, ...key }): NotificationKey => ({ ...key, signs: signsFrom <= this.database.now() }))
        .sort((a, b) => b.generation - a.generation),
    );
  }

  override add({ signsInMs, ...key }: NewNotificationKey): Promise<boolean> {
    return this.database.call('addNotificationKey', () => {
      const { notificationKeys } = this.database;
      if (notificationKeys.some(({ generation }) => generation === key.generation)) return false;
      const createdAt = this.database.now();
      notificationKeys.push({ ...key, createdAt, signsFrom: createdAt + signsInMs });
      return true;
    });
  }

  override removeReplaced(ageMs: number): Promise<number> {
    return this.database.call('removeReplacedNotificationKeys', () => {
      const { notificationKeys: before } = this.database;
      const since = this.database.now() - ageMs;
      const isReplaced = (key: number): boolean =>
        before.some(({ generation, signsFrom }) => generation > key && signsFrom <= since);
      this.database.notificationKeys = before.filter(({ generation }) => !isReplaced(generation));
      return before.length - this.database.notificationKeys.length;
    });
  }
}
