import { SecretBox, SILENT } from '#core';
import { ConfigError, loadLaunchConfig, readEncryptionKey } from '#platform';
import { PostgresNotificationKeyStore } from '#postgres';
import { NotificationKeys } from '#push';
import { audited, OWN_OPERATIONS } from '../audit/audited.js';
import { withDatabase } from '../with-database.js';

/**
 * Makes the next key that push notifications are signed with, and resolves with its id.
 * @throws ConfigError without CHORUS_ENCRYPTION_KEY and without the key of an `npm start`, or as `withDatabase`
 */
export async function rotateKey(atOnce: boolean): Promise<string> {
  const { encryptionKey, previousEncryptionKey: previous, dataDir } = loadLaunchConfig();
  const key = encryptionKey ?? readEncryptionKey(dataDir);
  if (key === undefined)
    throw new ConfigError('CHORUS_ENCRYPTION_KEY is not set: the new key is kept under the one that the workers have');
  const box = new SecretBox({ key, ...(previous === undefined ? {} : { previous }) });
  const change = { operation: OWN_OPERATIONS.rotatePushKey, ...(atOnce ? { subject: 'at once' } : {}) };
  return withDatabase((pools) =>
    audited(pools, change, () => new NotificationKeys(new PostgresNotificationKeyStore(pools), box, SILENT).rotate({ atOnce })),
  );
}
