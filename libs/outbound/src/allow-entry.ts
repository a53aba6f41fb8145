import { isIP, type BlockList, type IPVersion } from 'node:net';
import { AllowEntryError } from './errors.js';
import { ipVersion, networkList } from './address-range.js';
import { isHostName } from './host-name.js';

/** One thing that the operator allows beyond the default. Without `port`: at every port. */
export type AllowEntry =
  /** A host by its name, wherever in the operator's own networks it is. */
  | { readonly kind: 'name'; readonly name: string; readonly port?: number }
  /** Every host below a domain, not the domain itself. */
  | { readonly kind: 'suffix'; readonly suffix: string; readonly port?: number }
  /** Addresses, whatever name leads to them. */
  | { readonly kind: 'network'; readonly version: IPVersion; readonly list: BlockList; readonly port?: number }
  /** A further port of public addresses. */
  | { readonly kind: 'port'; readonly port: number };

const FORMS = 'a host name, *.domain, an address or a network as 10.0.0.0/8, each with or without :port, or *:port';

/**
 * Reads a comma-separated allow-list; an empty one allows nothing more. IPv6 with a port is written in brackets, as `[fd00::/8]:8080`.
 * @throws AllowEntryError that names the first entry which is none.
 */
export function parseAllowList(text: string): AllowEntry[] {
  return text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
    .map(parseEntry);
}

function parseEntry(text: string): AllowEntry {
  const fault = () => new AllowEntryError(`CHORUS_OUTBOUND_ALLOW: "${text}" is not ${FORMS}`);
  const { host, port: portText } = splitPort(text);
  const port = portText === undefined ? undefined : Number(portText);
  if (port !== undefined && !(/^\d{1,5}$/.test(portText ?? '') && port >= 1 && port <= 65535)) throw fault();

  if (host === '*') {
    if (port === undefined) throw fault();
    return { kind: 'port', port };
  }
  const network = parseNetwork(host);
  if (network !== undefined) return { kind: 'network', ...network, port };
  const name = host.toLowerCase().replace(/\.$/, '');
  if (name.startsWith('*.') && isHostName(name.slice(2))) return { kind: 'suffix', suffix: name.slice(1), port };
  // A last label of digits is a misspelt address: no name ends in one.
  if (isHostName(name) && !/(^|\.)\d+$/.test(name)) return { kind: 'name', name, port };
  throw fault();
}

/** The host as written, without brackets. Text with two colons and no bracket is IPv6, and has no port. */
function splitPort(text: string): { host: string; port?: string } {
  const bracketed = /^\[([^\]]*)\](?::(.*))?$/.exec(text);
  if (bracketed !== null) return { host: isIPv6Network(bracketed[1]) ? bracketed[1] : '', port: bracketed[2] };
  const [host = '', port, ...more] = text.split(':');
  return more.length > 0 ? { host: text } : { host, port };
}

function isIPv6Network(text: string | undefined): text is string {
  return isIP(text?.split('/')[0] ?? '') === 6;
}

function parseNetwork(text: string): { version: IPVersion; list: BlockList } | undefined {
  const [address = '', bits, ...more] = text.split('/');
  if (isIP(address) === 0 || address.includes('%') || more.length > 0) return undefined;
  const version = ipVersion(address);
  const most = version === 'ipv4' ? 32 : 128;
  if (bits !== undefined && !(/^\d{1,3}$/.test(bits) && Number(bits) <= most)) return undefined;
  return { version, list: networkList([`${address}/${bits ?? most}`]) };
}
