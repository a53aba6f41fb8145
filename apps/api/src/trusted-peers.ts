import { BlockList, isIP } from 'node:net';

/** Whether an address is in one of `networks`, given as addresses and CIDR blocks. IPv4 peers of an IPv6 socket count as IPv4. */
export function trustedPeers(networks: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', bits] = network.split('/');
    const family = familyOf(address);
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return (peer) => {
    const address = peer.replace(/^::ffff:(?=\d+\.)/i, '');
    return isIP(address) !== 0 && list.check(address, familyOf(address));
  };
}

const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 6 ? 'ipv6' : 'ipv4');
