import { SecretBox, SILENT } from '#core';
import { ConfigError, loadLaunchConfig } from '#platform';
import { PostgresNotificationKeyStore } from '#postgres';
import { NotificationKeys } from '#push';
import { withDatabase } from '../with-database.js';

/**
 * Makes the next key that push notifications are signed with, and resolves with its id.
 * @throws ConfigError without CHORUS_ENCRYPTION_KEY, or as `withDatabase`
 */
export async function rotateKey(atOnce: boolean): Promise<string> {
  const { encryptionKey: key, previousEncryptionKey: previous } = loadLaunchConfig();
  if (key === undefined)
    throw new ConfigError('CHORUS_ENCRYPTION_KEY is not set: the new key is kept under the one that the workers have');
  const box = new SecretBox({ key, ...(previous === undefined ? {} : { previous }) });
  return withDatabase((pools) => new NotificationKeys(new PostgresNotificationKeyStore(pools), box, SILENT).rotate({ atOnce }));
}
