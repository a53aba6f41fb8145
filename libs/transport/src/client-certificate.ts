import type { IncomingHttpHeaders } from 'node:http';
import { headerOf } from './http.js';

export interface CertificateOptions {
  /** Is the peer a proxy whose headers are to be believed? */
  readonly isTrusted: (address: string) => boolean;
  /** The header, in lower case, in which such a proxy hands on the client's certificate; absent: none does. */
  readonly certificateHeader?: string;
}

/** The client's certificate, DER, as a trusted proxy hands it on. What any other peer says is nothing. */
export function forwardedCertificate(
  peer: string | undefined,
  headers: IncomingHttpHeaders,
  { isTrusted, certificateHeader }: CertificateOptions,
): Buffer | undefined {
  if (certificateHeader === undefined || peer === undefined || !isTrusted(peer)) return undefined;
  const value = headerOf(headers, certificateHeader);
  return value === undefined ? undefined : certificateIn(value.trim());
}

/** RFC 9440: a byte sequence. */
const BYTES = /^:([A-Za-z0-9+/]+={0,2}):$/;
/** Envoy's `x-forwarded-client-cert`: each proxy adds an element; texts in quotes may hold what would end a pair or an element. */
const ELEMENTS = /(?:"(?:\\.|[^"\\])*"|[^",])+/g;
const PAIRS = /(?:"(?:\\.|[^"\\])*"|[^";])+/g;
const CERT = /^\s*cert="([^"]*)"\s*$/i;
const BEGIN = '-----BEGIN CERTIFICATE-----';
const END = '-----END CERTIFICATE-----';

/**
 * One certificate, in whichever form proxies write it: RFC 9440, Envoy's, or PEM that is URL-encoded as nginx has it. Undefined for
 * anything else, and for two: which of them is the client's is not for this host to guess.
 */
export function certificateIn(value: string): Buffer | undefined {
  const bytes = BYTES.exec(value)?.[1];
  if (bytes !== undefined) return Buffer.from(bytes, 'base64');
  const encoded = value.startsWith('-----BEGIN') ? value : envoyCertificate(value);
  return encoded === undefined ? undefined : pemIn(encoded);
}

/** That of the proxy that is nearest, which has added its element last. */
const envoyCertificate = (value: string): string | undefined => {
  const pairs = value.match(ELEMENTS)?.at(-1)?.match(PAIRS) ?? [];
  return pairs.map((pair) => CERT.exec(pair)?.[1]).find((encoded) => encoded !== undefined);
};

function pemIn(encoded: string): Buffer | undefined {
  let text: string;
  try {
    text = decodeURIComponent(encoded).trim();
  } catch {
    return undefined;
  }
  if (!text.startsWith(BEGIN) || !text.endsWith(END)) return undefined;
  const base64 = text.slice(BEGIN.length, -END.length).replace(/\s/g, '');
  return /^[A-Za-z0-9+/]+={0,2}$/.test(base64) ? Buffer.from(base64, 'base64') : undefined;
}
