import { createHash } from 'node:crypto';
import { SignJWT } from 'jose';
import type { Notification } from '#core';
import type { NotificationKeys } from './notification-keys.js';

/** Longer than any request takes, and short enough that a copy is soon of no use. */
const VALID_FOR = '5 minutes';

/**
 * Signs notifications: a JWT with the claims that A2A's page on asynchronous operations names, and the hash of the body under the name
 * that its samples use. It holds for one body, one receiver and one moment.
 */
export class NotificationSigner {
  constructor(
    private readonly keys: Pick<NotificationKeys, 'signingKey'>,
    /** The address of this host, when it has one: the issuer, and where its key set is. */
    private readonly publicUrl?: string,
  ) {}

  /** Rejects with StoreUnavailableError when there is no key yet, and none can be made. */
  async sign({ id, taskId, url, body }: Pick<Notification, 'id' | 'taskId' | 'url' | 'body'>): Promise<string> {
    const { algorithm, kid, privateKey } = await this.keys.signingKey();
    const { publicUrl } = this;
    const hash = createHash('sha256').update(body).digest('hex');
    const jwt = new SignJWT({ taskId, request_body_sha256: hash })
      .setProtectedHeader({
        ...{ alg: algorithm, typ: 'JWT', kid },
        ...(publicUrl === undefined ? {} : { jku: `${publicUrl}/.well-known/jwks.json` }),
      })
      .setAudience(url)
      .setJti(id)
      .setIssuedAt()
      .setExpirationTime(VALID_FOR);
    if (publicUrl !== undefined) jwt.setIssuer(publicUrl);
    return jwt.sign(privateKey as NonNullable<typeof privateKey>);
  }
}
