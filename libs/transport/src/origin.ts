import type { IncomingHttpHeaders } from 'node:http';
import { headerOf } from './http.js';

export interface OriginOptions {
  /** Where clients reach this host, when it is configured. */
  readonly publicUrl?: string;
  /** Is the peer a proxy whose `X-Forwarded-*` headers are to be believed? */
  readonly isTrusted: (address: string) => boolean;
}

export interface Peer {
  readonly headers: IncomingHttpHeaders;
  readonly remoteAddress: string | undefined;
  /** The address that was listened on, for requests that name no usable host. */
  readonly localPort: number | undefined;
}

const HOST = /^(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?$/;
const PREFIX = /^(?:\/[A-Za-z0-9._~-]+)+$/;
const UNSPECIFIED = /^(?:0\.0\.0\.0|\[::\])(?=:|$)/;

/**
 * Scheme, host and prefix under which the client reaches this host, without a trailing slash: the configured one, else what a
 * trusted proxy says, else the request's Host. Never an address that only means "all of mine".
 */
export function originOf({ headers, remoteAddress, localPort }: Peer, { publicUrl, isTrusted }: OriginOptions): string {
  if (publicUrl !== undefined) return publicUrl.replace(/\/+$/, '');
  const forwarded = remoteAddress !== undefined && isTrusted(remoteAddress);
  const said = (name: string): string | undefined => (forwarded ? headerOf(headers, name)?.split(',', 1)[0]?.trim() : undefined);
  const scheme = said('x-forwarded-proto')?.toLowerCase() === 'https' ? 'https' : 'http';
  const prefix = said('x-forwarded-prefix')?.replace(/\/+$/, '') ?? '';
  return `${scheme}://${hostOf(said('x-forwarded-host') ?? headers.host, localPort)}${PREFIX.test(prefix) ? prefix : ''}`;
}

function hostOf(host: string | undefined, localPort: number | undefined): string {
  if (host === undefined || !HOST.test(host)) return `localhost${localPort === undefined ? '' : `:${localPort}`}`;
  return host.replace(UNSPECIFIED, 'localhost');
}
