import { clientAddressOf, networkOf } from './client-address.js';

const isTrusted = (address: string): boolean => address.startsWith('10.') || address === '127.0.0.1';

it.each<[string, string | undefined, string | undefined, string | undefined]>([
  ['a client that comes by itself', '192.0.2.1', undefined, '192.0.2.1'],
  ['a client that makes up a header', '192.0.2.1', '198.51.100.7', '192.0.2.1'],
  ['a trusted proxy', '10.0.0.1', '198.51.100.7', '198.51.100.7'],
  ['a trusted proxy that says nothing', '10.0.0.1', undefined, '10.0.0.1'],
  ['a chain of trusted proxies', '10.0.0.1', '198.51.100.7, 10.0.0.3,10.0.0.2', '198.51.100.7'],
  ['an entry that the client made up before it', '10.0.0.1', '203.0.113.9, 198.51.100.7', '198.51.100.7'],
  ['an entry that is no address', '10.0.0.1', '198.51.100.7, unknown, 10.0.0.2', '10.0.0.2'],
  ['a trusted client', '10.0.0.1', '10.0.0.9', '10.0.0.9'],
  ['an IPv6 client', '127.0.0.1', '2001:db8::1', '2001:db8::1'],
  ['a connection that is gone', undefined, '198.51.100.7', undefined],
])('the client of %s', (_what, peer, forwarded, client) => {
  expect(clientAddressOf(peer, forwarded === undefined ? {} : { 'x-forwarded-for': forwarded }, isTrusted)).toBe(client);
});

it.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['::FFFF:192.0.2.1', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:0db8:0001:0002::', '2001:db8:1:2::/64'],
  ['2001:db8::5', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['::', '0:0:0:0::/64'],
  ['1::2:3:4:5:6:7', '1:0:2:3::/64'],
  ['64:ff9b::192.0.2.1', '64:ff9b:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
])('%s is of %s', (address, network) => {
  expect(networkOf(address)).toBe(network);
});
