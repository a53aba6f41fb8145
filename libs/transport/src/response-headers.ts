import { PermissionDeniedError, RateLimitedError, UnauthenticatedError, secondsOf, type A2AError } from '#protocol';
import type { HttpAnswer, HttpHeaders } from './http.js';

/** `headers`, and the echo of the activated extensions, under the header `name`, when there are any. */
export const extensionHeaders = (headers: HttpHeaders, name: string, extensions: readonly string[]): HttpHeaders =>
  extensions.length === 0 ? headers : { ...headers, [name]: extensions.join(', ') };

/** For answers that a cache would keep otherwise: those to GET, and 404 and 405 to anything. */
export const uncached = (contentType: string): HttpHeaders => ({ 'content-type': contentType, 'cache-control': 'no-store' });

/** The headers of an error: one that passes says when to try again, in seconds; a refused credential, what would do. */
export function errorHeaders(error: A2AError, contentType: string): HttpHeaders {
  const headers = uncached(contentType);
  if (error instanceof UnauthenticatedError || error instanceof PermissionDeniedError) {
    return { ...headers, 'www-authenticate': error.challenge };
  }
  if (error instanceof RateLimitedError) {
    return { ...headers, ...error.headers, 'retry-after': String(secondsOf(error.retryAfterMs)) };
  }
  return error.row.http === 503 ? { ...headers, 'retry-after': '1' } : headers;
}

/** The answer with `headers` beside its own, which win. */
export const withHeaders = <A extends HttpAnswer>(answer: A, headers: HttpHeaders): A =>
  headers === NO_HEADERS ? answer : { ...answer, headers: { ...headers, ...answer.headers } };

export const NO_HEADERS: HttpHeaders = Object.freeze({});
