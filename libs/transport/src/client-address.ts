import type { IncomingHttpHeaders } from 'node:http';
import { isIPv4, isIPv6 } from 'node:net';
import { headerOf } from './http.js';

const MAPPED = /^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i;

/**
 * Whose request it is that came from `peer`: the last address of `X-Forwarded-For` that is no trusted proxy, each of which has added the
 * one that it saw. What stands before it was written by whoever wanted to.
 */
export function clientAddressOf(
  peer: string | undefined,
  headers: IncomingHttpHeaders,
  isTrusted: (address: string) => boolean,
): string | undefined {
  if (peer === undefined || !isTrusted(peer)) return peer;
  const forwarded = headerOf(headers, 'x-forwarded-for')?.split(',') ?? [];
  let client = peer;
  for (const entry of forwarded.reverse()) {
    const address = entry.trim();
    if (!isIPv4(address) && !isIPv6(address)) return client;
    client = address;
    if (!isTrusted(address)) return client;
  }
  return client;
}

/** What one client has at least: an IPv4 address, or 64 bits of an IPv6 one, within which it can take any address it likes. */
export function networkOf(address: string): string {
  const plain = address.replace(MAPPED, '');
  if (!isIPv6(plain)) return plain;
  const [head = '', tail] = (plain.split('%', 1)[0] as string).split('::');
  const groups = (text: string | undefined): string[] => (text === undefined || text === '' ? [] : text.split(':'));
  const [first, last] = [groups(head), groups(tail)];
  // A dotted end stands for two groups, none of which is among the first four.
  const zeros = tail === undefined ? 0 : 8 - first.length - last.length - (plain.includes('.') ? 1 : 0);
  const all = [...first, ...new Array<string>(Math.max(0, zeros)).fill('0'), ...last];
  return `${all
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`;
}
