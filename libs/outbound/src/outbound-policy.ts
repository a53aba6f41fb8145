import { isIP } from 'node:net';
import { parseUrl } from '#protocol';
import { addressRange, ipVersion, translatedAddress, withoutZone, type AddressRange } from './address-range.js';
import { parseAllowList, type AllowEntry } from './allow-entry.js';
import { OutboundRefusedError } from './errors.js';
import { isHostName, isInternalName } from './host-name.js';

/**
 * Ports of public addresses that are open without being named: those of the web, and its two alternatives, which a receiver uses
 * that cannot bind a low port. Development ports (3000, 8000) are not: such receivers are on this machine or beside it, and need an
 * entry anyway. Every further port would make us the scanner, or the mail client, of whoever writes a URL.
 */
const PUBLIC_PORTS: ReadonlySet<number> = new Set([80, 443, 8080, 8443]);

/**
 * Where a host that is allowed by name may be: the operator's own networks. Not at a cloud's metadata service nor at a multicast
 * address: no receiver is there, so a name that leads there has been turned. Who means it names the network.
 */
const NAMED_MAY_BE_AT: ReadonlySet<AddressRange> = new Set(['loopback', 'private', 'carrier NAT', 'unique local']);

/** A URL that has passed, taken apart once so that no second parser can see another host in it. */
export interface Destination {
  /** `https://host:port`, in its one canonical spelling, without a dot at the end of the host. */
  readonly origin: string;
  /** Path and query. */
  readonly path: string;
  /** A name in lower case, or an address without brackets. */
  readonly hostname: string;
  readonly port: number;
  readonly isAddress: boolean;
  /** The operator allows this name at this port. */
  readonly isNamed: boolean;
}

/** Which URLs may be dialled for a stranger: public hosts, at the ports of the web, and what the operator allows beyond. */
export class OutboundPolicy {
  readonly #entries: readonly AllowEntry[];

  /** @param allow as `CHORUS_OUTBOUND_ALLOW` is written; throws AllowEntryError. */
  constructor(allow = '') {
    this.#entries = parseAllowList(allow);
  }

  /**
   * Everything that can be told of a URL without asking DNS. The WHATWG parser undoes octal, hexadecimal, short, percent-encoded and
   * full-width spellings of addresses.
   * @throws OutboundRefusedError
   */
  inspect(text: string): Destination {
    // The parser drops tabs and newlines and turns backslashes: whoever else reads this URL may see another host in it.
    if (/[\u0000-\u0020\u007f\\]/.test(text)) throw new OutboundRefusedError('malformed');
    const url = parseUrl(text);
    if (url === undefined) throw new OutboundRefusedError('malformed');
    if (url.protocol !== 'http:' && url.protocol !== 'https:') throw new OutboundRefusedError('scheme');
    const authority = /^https?:\/\/([^/?#]+)/i.exec(text)?.[1];
    if (authority === undefined) throw new OutboundRefusedError('malformed');
    if (authority.includes('@')) throw new OutboundRefusedError('credentials');

    const hostname = url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
    const isAddress = isIP(hostname) !== 0;
    if (!isAddress && !isHostName(hostname)) throw new OutboundRefusedError('malformed');
    const port = url.port === '' ? (url.protocol === 'http:' ? 80 : 443) : Number(url.port);
    if (port === 0) throw new OutboundRefusedError('port');

    url.hostname = url.hostname.replace(/\.$/, '');
    const isNamed = !isAddress && this.#isNamed(hostname, port);
    const destination = { origin: url.origin, path: `${url.pathname}${url.search}`, hostname, port, isAddress, isNamed };
    if (isAddress) this.permit(destination, [hostname]);
    else if (!isNamed && isInternalName(hostname)) throw new OutboundRefusedError('name');
    else if (!isNamed && !this.#mayBeOpen(port)) throw new OutboundRefusedError('port');
    return destination;
  }

  /**
   * Whether all addresses of a destination may be dialled: one that may not refuses them all, since a name with a public and an
   * internal address is not made by accident.
   * @throws OutboundRefusedError
   */
  permit(destination: Pick<Destination, 'hostname' | 'port' | 'isNamed'>, addresses: readonly string[]): void {
    for (const address of addresses) {
      const fault = this.#fault(destination, address);
      if (fault !== undefined)
        throw new OutboundRefusedError(fault.reason, `${destination.hostname} is at ${address} (${fault.detail})`);
    }
  }

  #fault(
    { port, isNamed }: Pick<Destination, 'port' | 'isNamed'>,
    address: string,
  ): { reason: 'port' | 'address'; detail: string } | undefined {
    const range = addressRange(address);
    if (this.#inAllowedNetwork(address, port)) {
      // The prefix says how the packet travels; where it ends is judged too.
      if (range === 'NAT64' && addressRange(translatedAddress(address)) !== undefined) {
        return this.#fault({ port, isNamed }, translatedAddress(address));
      }
      return undefined;
    }
    if (range === undefined) {
      return isNamed || this.#isPublicPort(port) ? undefined : { reason: 'port', detail: `port ${port}` };
    }
    return isNamed && NAMED_MAY_BE_AT.has(range) ? undefined : { reason: 'address', detail: range };
  }

  #isNamed(hostname: string, port: number): boolean {
    return this.#entries.some(
      (entry) =>
        ((entry.kind === 'name' && entry.name === hostname) || (entry.kind === 'suffix' && hostname.endsWith(entry.suffix))) &&
        (entry.port ?? port) === port,
    );
  }

  #inAllowedNetwork(address: string, port: number): boolean {
    const version = ipVersion(address);
    // By version: a list of IPv4 networks also finds IPv4-mapped addresses, which nobody named.
    return this.#entries.some(
      (entry) =>
        entry.kind === 'network' &&
        entry.version === version &&
        (entry.port ?? port) === port &&
        entry.list.check(withoutZone(address), version),
    );
  }

  #isPublicPort(port: number): boolean {
    return PUBLIC_PORTS.has(port) || this.#entries.some((entry) => entry.kind === 'port' && entry.port === port);
  }

  /** Whether some address may be dialled at this port; which one is known when DNS has answered. */
  #mayBeOpen(port: number): boolean {
    return this.#isPublicPort(port) || this.#entries.some((entry) => entry.kind === 'network' && (entry.port ?? port) === port);
  }
}
