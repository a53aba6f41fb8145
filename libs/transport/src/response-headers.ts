import type { A2AError } from '#protocol';
import type { HttpHeaders } from './http.js';

/** `headers`, and the echo of the activated extensions when there are any. */
export const extensionHeaders = (headers: HttpHeaders, extensions: readonly string[]): HttpHeaders =>
  extensions.length === 0 ? headers : { ...headers, 'a2a-extensions': extensions.join(', ') };

/** The headers of an error: one that passes says when to try again, in seconds. */
export const errorHeaders = ({ row }: A2AError, contentType: string): HttpHeaders =>
  row.http === 503 ? { 'content-type': contentType, 'retry-after': '1' } : { 'content-type': contentType };

const EXPOSED = 'A2A-Extensions, A2A-Version, ETag, Last-Modified, Retry-After, WWW-Authenticate';

/** For browser clients: any origin may ask, for no answer depends on a cookie. */
export const CORS_HEADERS: HttpHeaders = Object.freeze({
  'access-control-allow-origin': '*',
  'access-control-expose-headers': EXPOSED,
});

/** The answer to a preflight. `requested` is its `Access-Control-Request-Headers`. */
export const preflightHeaders = (requested: string | undefined): HttpHeaders => ({
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'GET, HEAD, POST, DELETE, OPTIONS',
  'access-control-allow-headers':
    requested ??
    'A2A-Extensions, A2A-Version, Accept, Authorization, Content-Type, Idempotency-Key, If-None-Match, Last-Event-ID',
  'access-control-max-age': '86400',
});
