import { BlockList, isIP, type IPVersion } from 'node:net';

/** A range of addresses in which no public host is. */
export type AddressRange =
  | 'unspecified'
  | 'loopback'
  | 'private'
  | 'carrier NAT'
  | 'link-local'
  | 'cloud service'
  | 'multicast'
  | 'broadcast'
  | 'documentation'
  | 'benchmarking'
  | 'unique local'
  | 'site-local'
  | 'IPv4 in IPv6'
  | 'NAT64'
  | '6to4'
  | 'Teredo'
  | 'reserved';

type Row = readonly [range: AddressRange, ...networks: string[]];

/** The IANA registry of special-purpose addresses, what the clouds put beside it, and what is withdrawn. The first row that fits names it. */
const IPV4: readonly Row[] = [
  ['unspecified', '0.0.0.0/8'],
  ['private', '10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16'],
  ['carrier NAT', '100.64.0.0/10'],
  ['loopback', '127.0.0.0/8'],
  ['link-local', '169.254.0.0/16'],
  // Public by its number, yet every Azure machine finds its host's control service there.
  ['cloud service', '168.63.129.16/32'],
  ['documentation', '192.0.2.0/24', '198.51.100.0/24', '203.0.113.0/24'],
  ['reserved', '192.0.0.0/24'],
  ['6to4', '192.88.99.0/24'],
  ['benchmarking', '198.18.0.0/15'],
  ['multicast', '224.0.0.0/4'],
  ['broadcast', '255.255.255.255/32'],
  ['reserved', '240.0.0.0/4'],
];

const IPV6: readonly Row[] = [
  ['unspecified', '::/128'],
  ['loopback', '::1/128'],
  ['IPv4 in IPv6', '::/96', '::ffff:0:0/96', '::ffff:0:0:0/96'],
  ['NAT64', '64:ff9b::/96', '64:ff9b:1::/48'],
  ['Teredo', '2001::/32'],
  ['documentation', '2001:db8::/32', '3fff::/20'],
  ['benchmarking', '2001:2::/48'],
  ['reserved', '2001::/23'],
  ['6to4', '2002::/16'],
  ['unique local', 'fc00::/7'],
  ['link-local', 'fe80::/10'],
  ['site-local', 'fec0::/10'],
  ['multicast', 'ff00::/8'],
];

/** The only part of IPv6 that is given out for use in public. */
const GLOBAL_UNICAST = networkList(['2000::/3']);

const TABLES = { ipv4: table(IPV4), ipv6: table(IPV6) };

/**
 * The range that makes `address` one which no stranger may have us dial; undefined for a public one. An IPv6 address that carries an
 * IPv4 address is never public: its path to that address is not ours to know.
 */
export function addressRange(address: string): AddressRange | undefined {
  const version = ipVersion(address);
  const bare = withoutZone(address);
  const row = TABLES[version].find(({ list }) => list.check(bare, version));
  if (row !== undefined) return row.range;
  return version === 'ipv4' || GLOBAL_UNICAST.check(bare, 'ipv6') ? undefined : 'reserved';
}

/** @throws TypeError for what is no IP address. */
export function ipVersion(address: string): IPVersion {
  const version = isIP(address);
  if (version === 0) throw new TypeError('not an IP address');
  return version === 4 ? 'ipv4' : 'ipv6';
}

/** `fe80::1%eth0` names an interface of this machine beside the address. */
export function withoutZone(address: string): string {
  return address.replace(/%.*$/, '');
}

/** The IPv4 address that a NAT64 address with the well-known prefix, 64:ff9b::/96, is translated to (RFC 6052). */
export function translatedAddress(address: string): string {
  // The form that the URL parser writes is one, whatever the address was written like.
  const canonical = new URL(`http://[${withoutZone(address)}]`).hostname.slice(1, -1);
  const [high, low] = canonical
    .slice(canonical.indexOf('::') + 2)
    .padStart(1, '0')
    .split(':')
    .map((group) => parseInt(group, 16))
    .reduce<[number, number]>(([, last], group) => [last, group], [0, 0]);
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

/** Networks of one IP version, as `10.0.0.0/8`. */
export function networkList(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', bits] = network.split('/');
    list.addSubnet(address, Number(bits), ipVersion(address));
  }
  return list;
}

function table(rows: readonly Row[]): { range: AddressRange; list: BlockList }[] {
  return rows.map(([range, ...networks]) => ({ range, list: networkList(networks) }));
}
