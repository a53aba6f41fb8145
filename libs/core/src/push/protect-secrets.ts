import { InvalidParamsError, type TaskPushNotificationConfig } from '#protocol';
import type { KeptPush, PushProtection } from '../ports/push-config-store.js';
import { SealedSecretError, type PushSecrets, type SecretBox } from './sealed-secrets.js';

/** Where a configuration is kept, and what its fields are called in the request that brings it. */
export interface PushPlace {
  readonly taskId: string;
  readonly id: string;
  /** The URL's origin. */
  readonly receiver: string;
  /** `''`, or what stands before a field's name. */
  readonly prefix: string;
}

/**
 * What is kept of a configuration's scheme, token and credentials. Clients write back what they were answered, where secrets are left
 * out: one that is absent stays as it is, credentials with the scheme that they are of. Not at another receiver, though: whoever may
 * change a configuration would have secrets sent where it can read them.
 * @throws InvalidParamsError when a secret has to be given again
 */
export function protectSecrets(
  box: SecretBox,
  { token, authentication }: Pick<TaskPushNotificationConfig, 'token' | 'authentication'>,
  { taskId, id, receiver, prefix }: PushPlace,
  kept: KeptPush | undefined,
): PushProtection {
  const scheme = authentication?.scheme;
  const sameScheme = scheme !== undefined && scheme.toLowerCase() === kept?.scheme?.toLowerCase();
  const keeps = {
    token: token === undefined,
    credentials: sameScheme && authentication?.credentials === undefined,
  };
  const inherited = kept?.secrets && (keeps.token || keeps.credentials) ? opened(kept.secrets) : {};
  const secrets = {
    token: token ?? inherited.token,
    credentials: authentication?.credentials ?? (keeps.credentials ? inherited.credentials : undefined),
  };
  if (kept !== undefined && kept.receiver !== receiver) {
    const lost = [
      ...(keeps.token && secrets.token !== undefined ? ['token'] : []),
      ...(keeps.credentials && secrets.credentials !== undefined ? ['authentication.credentials'] : []),
    ];
    refuse(lost, 'must be given again: the url names another receiver');
  }
  const hasSecrets = secrets.token !== undefined || secrets.credentials !== undefined;
  return {
    ...(scheme === undefined ? {} : { scheme }),
    ...(hasSecrets ? { secrets: box.seal(taskId, id, secrets as PushSecrets) } : {}),
  };

  function opened(sealed: Uint8Array): PushSecrets {
    try {
      return box.open(taskId, id, sealed);
    } catch (error) {
      if (!(error instanceof SealedSecretError)) throw error;
      const asked = [...(keeps.token ? ['token'] : []), ...(keeps.credentials ? ['authentication.credentials'] : [])];
      refuse(asked, 'must be given again, or the configuration be deleted: what was kept cannot be read any more');
      return {};
    }
  }

  function refuse(fields: readonly string[], description: string): void {
    if (fields.length > 0) throw new InvalidParamsError(fields.map((field) => ({ field: `${prefix}${field}`, description })));
  }
}
