import type { HttpHeaders } from './http.js';

const EXPOSED =
  'A2A-Extensions, A2A-Version, ETag, Last-Modified, RateLimit, RateLimit-Policy, Retry-After, WWW-Authenticate, X-A2A-Extensions';
const USUAL_HEADERS =
  'A2A-Extensions, A2A-Version, Accept, Authorization, Content-Type, Idempotency-Key, If-None-Match, Last-Event-ID, X-A2A-Extensions';

const headersFor = (origin: string): HttpHeaders =>
  Object.freeze({ 'access-control-allow-origin': origin, 'access-control-expose-headers': EXPOSED });

const ANY = headersFor('*');
const NONE: HttpHeaders = Object.freeze({});
const VARYING: HttpHeaders = Object.freeze({ vary: 'Origin' });

/**
 * Which web pages may read answers. No answer depends on a cookie, so `*` gives a page nothing that another client at its place
 * would not get; but its place is the reader's machine and network, and that may be all that protects this host.
 */
export class Cors {
  /** `['*']` for every page, `[]` for none. */
  constructor(private readonly origins: readonly string[]) {}

  /** The headers of an answer to a request whose `Origin` is `origin`. */
  headers(origin: string | undefined): HttpHeaders {
    if (this.origins[0] === '*') return ANY;
    if (this.origins.length === 0) return NONE;
    // With Vary also for who is not allowed: a cache must not give that answer to a page that is.
    return origin !== undefined && this.origins.includes(origin) ? { ...headersFor(origin), ...VARYING } : VARYING;
  }

  /** The headers of the answer to a preflight; `requested` is its `Access-Control-Request-Headers`. */
  preflight(origin: string | undefined, requested: string | undefined): HttpHeaders {
    const headers = this.headers(origin);
    if (headers['access-control-allow-origin'] === undefined) return headers;
    return {
      ...headers,
      'access-control-allow-methods': 'GET, HEAD, POST, DELETE, OPTIONS',
      'access-control-allow-headers': requested ?? USUAL_HEADERS,
      'access-control-max-age': '86400',
    };
  }
}
