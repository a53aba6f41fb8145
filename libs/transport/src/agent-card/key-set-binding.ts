import { createHash } from 'node:crypto';
import type { Host } from '../host.js';
import type { HttpRequest, TextAnswer } from '../http.js';
import { answerDocument } from './document.js';

/** RFC 7517, 8.5.1. */
const TYPE = 'application/jwk-set+json';

/**
 * The public keys of this host: those of its cards, then those of its push notifications. Undefined when it has neither. A client may
 * hold a key set for five minutes: so long the new key of a rotation may be unknown to it. Rejects as `NotificationKeySet.list`.
 */
export async function answerKeySet(
  { cardSigner, notificationKeys, cors }: Pick<Host, 'cardSigner' | 'notificationKeys' | 'cors'>,
  request: HttpRequest,
): Promise<TextAnswer | undefined> {
  const keys = [...(cardSigner?.keySet.keys ?? []), ...((await notificationKeys?.list()) ?? [])];
  if (keys.length === 0) return undefined;
  const body = JSON.stringify({ keys });
  const document = { body, type: TYPE, etag: `"${createHash('sha256').update(body).digest('base64url')}"` };
  return answerDocument(request, document, { ...cors.headers(request.headers.origin), 'cache-control': 'public, max-age=300' });
}
