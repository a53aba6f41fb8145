import type { IncomingHttpHeaders } from 'node:http';
import { headerOf } from './http.js';

export interface OriginOptions {
  /** Where clients reach this host, when it is configured; without a trailing slash. */
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

/** The headers of a proxy that count, in lower case. */
export const FORWARDED = ['x-forwarded-proto', 'x-forwarded-host', 'x-forwarded-prefix'] as const;

const HOST = /^(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?$/;
const PREFIX = /^(?:\/[A-Za-z0-9._~-]+)+$/;
const UNSPECIFIED = /^(?:0\.0\.0\.0|\[::\])(?=:|$)/;

export interface Origin {
  /** Scheme, host and prefix, without a trailing slash. */
  readonly url: string;
  /** Does it come from `X-Forwarded-*` headers? A cache does not know that they make a difference. */
  readonly forwarded: boolean;
}

/**
 * Scheme, host and prefix under which the client reaches this host, without a trailing slash: the configured one, else what a
 * trusted proxy says, else the request's Host. Never an address that only means "all of mine". Of a list that several proxies
 * made the first entry counts, which is the client's own if the outermost proxy adds to the header instead of setting it.
 */
export function originOf({ headers, remoteAddress, localPort }: Peer, { publicUrl, isTrusted }: OriginOptions): Origin {
  if (publicUrl !== undefined) return { url: publicUrl, forwarded: false };
  const trusted = remoteAddress !== undefined && isTrusted(remoteAddress);
  const said = (name: string): string | undefined => (trusted ? headerOf(headers, name)?.split(',', 1)[0]?.trim() : undefined);
  const [proto, host, prefix] = FORWARDED.map(said);
  const scheme = proto?.toLowerCase() === 'https' ? 'https' : 'http';
  const base = prefix?.replace(/\/+$/, '') ?? '';
  return {
    url: `${scheme}://${hostOf(host ?? headers.host, localPort)}${PREFIX.test(base) ? base : ''}`,
    forwarded: [proto, host, prefix].some((value) => value !== undefined),
  };
}

/** Where HTTP is for a client that reaches gRPC by `authority`, which may be any text: at the same name, unless it is configured. */
export const originBeside = (authority: string, httpPort: number, publicUrl?: string): Origin => {
  const host = `${authority.replace(/:\d+$/, '')}:${httpPort}`;
  const peer = { headers: { host }, remoteAddress: undefined, localPort: httpPort };
  return originOf(peer, { isTrusted: () => false, ...(publicUrl === undefined ? {} : { publicUrl }) });
};

function hostOf(host: string | undefined, localPort: number | undefined): string {
  if (host === undefined || !HOST.test(host)) return `localhost${localPort === undefined ? '' : `:${localPort}`}`;
  return host.replace(UNSPECIFIED, 'localhost');
}
