import { createHash } from 'node:crypto';
import type { CardSigner, Host } from '../host.js';
import type { HttpRequest, TextAnswer } from '../http.js';
import { answerDocument, type CachedDocument } from './document.js';

/** RFC 7517, 8.5.1. */
const TYPE = 'application/jwk-set+json';

/** The public keys that cards are signed with, as bytes. */
export function keySetDocument({ keySet }: CardSigner): CachedDocument {
  const body = JSON.stringify(keySet);
  return { body, type: TYPE, etag: `"${createHash('sha256').update(body).digest('base64url')}"` };
}

/** A client may hold a key set for five minutes: so long the new key of a rotation may be unknown to it. */
export const answerKeySet = (host: Host, request: HttpRequest, document: CachedDocument): TextAnswer =>
  answerDocument(request, document, { ...host.cors.headers(request.headers.origin), 'cache-control': 'public, max-age=300' });
