import { lookup, Resolver } from 'node:dns/promises';

export interface HostAddress {
  readonly address: string;
  readonly family: 4 | 6;
}

/** All addresses of a host name. Rejects when there is none, or when nobody answers. */
export type AddressResolver = (hostname: string) => Promise<readonly HostAddress[]>;

/** Of both tries together; a host's own name server may be slow, or silent on purpose. */
const QUERY = { timeout: 2000, tries: 2 };
/** The resolver reads the machine's name servers when it is made, and machines change networks. */
const RENEW_AFTER_MS = 30_000;

/**
 * Asks DNS alone, and on no thread: the system's look-up has four for the whole process, so that four names with silent servers would
 * stop everyone's.
 */
export function dnsAddresses(): AddressResolver {
  let resolver = new Resolver(QUERY);
  let madeAt = Date.now();
  return (hostname) => {
    if (Date.now() - madeAt > RENEW_AFTER_MS) {
      resolver = new Resolver(QUERY);
      madeAt = Date.now();
    }
    return addressesBy(resolver, hostname);
  };
}

/** The A and AAAA records that one resolver answers. */
export async function addressesBy(resolver: Resolver, hostname: string): Promise<readonly HostAddress[]> {
  const [v4, v6] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
  const addresses = [
    ...(v4.status === 'fulfilled' ? v4.value.map((address) => ({ address, family: 4 as const })) : []),
    ...(v6.status === 'fulfilled' ? v6.value.map((address) => ({ address, family: 6 as const })) : []),
  ];
  if (addresses.length === 0 && v4.status === 'rejected') throw v4.reason;
  return addresses;
}

/** What the machine itself would dial: with its hosts file and search domains, as names of the operator's own hosts need them. */
export const systemAddresses: AddressResolver = async (hostname) => {
  const addresses = await lookup(hostname, { all: true });
  return addresses.map(({ address, family }) => ({ address, family: family === 6 ? 6 : 4 }));
};
