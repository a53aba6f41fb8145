import { randomInt } from 'node:crypto';
import { addressRange } from './address-range.js';
import { OutboundRefusedError } from './errors.js';
import { OutboundPolicy } from './outbound-policy.js';

/** The special-purpose ranges of IPv4 (IANA), first and last address, and Azure's control service. Written down apart from the table. */
const FORBIDDEN: readonly (readonly [string, string])[] = [
  ['0.0.0.0', '0.255.255.255'],
  ['10.0.0.0', '10.255.255.255'],
  ['100.64.0.0', '100.127.255.255'],
  ['127.0.0.0', '127.255.255.255'],
  ['168.63.129.16', '168.63.129.16'],
  ['169.254.0.0', '169.254.255.255'],
  ['172.16.0.0', '172.31.255.255'],
  ['192.0.0.0', '192.0.0.255'],
  ['192.0.2.0', '192.0.2.255'],
  ['192.88.99.0', '192.88.99.255'],
  ['192.168.0.0', '192.168.255.255'],
  ['198.18.0.0', '198.19.255.255'],
  ['198.51.100.0', '198.51.100.255'],
  ['203.0.113.0', '203.0.113.255'],
  ['224.0.0.0', '255.255.255.255'],
];
const SAMPLES = 60;

const parts = (n: number) => [n >>> 24, (n >>> 16) & 255, (n >>> 8) & 255, n & 255];
const numberOf = (address: string) => address.split('.').reduce((n, part) => n * 256 + Number(part), 0);
const dotted = (n: number) => parts(n).join('.');
const groups = (n: number) => `${(n >>> 16).toString(16)}:${(n & 0xffff).toString(16)}`;
const shifted = (text: string, by: number) => text.replace(/\d/g, (digit) => String.fromCodePoint(digit.charCodeAt(0) + by));

/** All ways to write an IPv4 address as a host of its own. */
const SPELLINGS: Record<string, (n: number) => string> = {
  dotted,
  decimal: String,
  hexadecimal: (n) => `0x${n.toString(16)}`,
  'hexadecimal in upper case, padded': (n) => `0X${n.toString(16).toUpperCase().padStart(12, '0')}`,
  octal: (n) => `0${n.toString(8)}`,
  'hexadecimal parts': (n) =>
    parts(n)
      .map((part) => `0x${part.toString(16)}`)
      .join('.'),
  'octal parts': (n) =>
    parts(n)
      .map((part) => `0${part.toString(8)}`)
      .join('.'),
  'octal parts, padded': (n) =>
    parts(n)
      .map((part) => part.toString(8).padStart(7, '0'))
      .join('.'),
  'three parts': (n) => `${n >>> 24}.${(n >>> 16) & 255}.${n & 0xffff}`,
  'two parts': (n) => `${n >>> 24}.${n & 0xffffff}`,
  'two parts, hexadecimal and octal': (n) => `0x${(n >>> 24).toString(16)}.0${(n & 0xffffff).toString(8)}`,
  'a dot at the end': (n) => `${dotted(n)}.`,
  'full-width digits': (n) => shifted(dotted(n), 0xff10 - 0x30),
  'bold digits': (n) => shifted(dotted(n), 0x1d7ce - 0x30),
  'ideographic dots': (n) => dotted(n).replaceAll('.', '。'),
  'full-width dots': (n) => dotted(n).replaceAll('.', '．'),
  'percent-encoded': (n) => Buffer.from(dotted(n)).toString('hex').replace(/../g, '%$&'),
};

/** All ways to carry one in IPv6. */
const CARRIERS: Record<string, (n: number) => string> = {
  'IPv4-mapped': (n) => `::ffff:${groups(n)}`,
  'IPv4-mapped, dotted': (n) => `::FFFF:${dotted(n)}`,
  'IPv4-compatible': (n) => `::${dotted(n)}`,
  'IPv4-translated': (n) => `::ffff:0:${groups(n)}`,
  NAT64: (n) => `64:ff9b::${dotted(n)}`,
  'NAT64 with a local prefix': (n) => `64:ff9b:1::${groups(n)}`,
  '6to4': (n) => `2002:${groups(n)}::1`,
  Teredo: (n) => `2001:0:808:808:0:0:${groups(~n >>> 0)}`,
};

const policy = new OutboundPolicy();

function isRefused(host: string): boolean {
  try {
    policy.inspect(`http://${host}/`);
    return false;
  } catch (error) {
    if (error instanceof OutboundRefusedError && error.reason === 'address') return true;
    throw error;
  }
}

/** Both ends and some between. */
function samplesOf([first, last]: readonly [string, string]): number[] {
  const [from, to] = [numberOf(first), numberOf(last)];
  return [from, to, ...Array.from({ length: SAMPLES }, () => randomInt(from, to + 1))];
}

const forbidden = (n: number) => FORBIDDEN.some(([first, last]) => numberOf(first) <= n && n <= numberOf(last));

describe('special addresses of IPv4', () => {
  it.each(Object.entries(SPELLINGS))('are refused in every range: %s', (_, spell) => {
    const passed = FORBIDDEN.flatMap(samplesOf).filter((n) => !isRefused(spell(n)));
    expect(passed.map(dotted)).toEqual([]);
  });

  it.each(Object.entries(CARRIERS))('are refused inside IPv6: %s', (_, carry) => {
    const passed = FORBIDDEN.flatMap(samplesOf).filter(
      (n) => !isRefused(`[${carry(n)}]`) || addressRange(carry(n)) === undefined,
    );
    expect(passed.map(dotted)).toEqual([]);
  });

  it.each(Object.entries(SPELLINGS))('have neighbours that pass: %s', (_, spell) => {
    const neighbours = FORBIDDEN.flatMap(([first, last]) => [numberOf(first) - 1, numberOf(last) + 1]).filter(
      (n) => n >= 0 && n < 2 ** 32 && !forbidden(n),
    );
    expect(neighbours.length).toBeGreaterThan(20);
    expect(neighbours.filter((n) => isRefused(spell(n))).map(dotted)).toEqual([]);
  });

  it('and every other address passes', () => {
    const others = Array.from({ length: 5000 }, () => randomInt(0, 2 ** 32)).filter((n) => !forbidden(n));
    expect(others.filter((n) => addressRange(dotted(n)) !== undefined).map(dotted)).toEqual([]);
  });
});

describe('addresses of IPv6', () => {
  it.each([
    ['2000::', undefined],
    ['1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', 'reserved'],
    ['2001::', 'Teredo'],
    ['2001:1ff:ffff::', 'reserved'],
    ['2001:200::', undefined],
    ['2001:db7:ffff:ffff:ffff:ffff:ffff:ffff', undefined],
    ['2001:db8:ffff:ffff:ffff:ffff:ffff:ffff', 'documentation'],
    ['2001:db9::', undefined],
    ['2001:ffff::', undefined],
    ['2002:ffff:ffff::', '6to4'],
    ['2003::', undefined],
    ['3ffe:ffff::', undefined],
    ['3fff:fff:ffff::', 'documentation'],
    ['3fff:1000::', undefined],
    ['4000::', 'reserved'],
    ['fbff::', 'reserved'],
    ['fc00::', 'unique local'],
    ['fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', 'unique local'],
    ['fe00::', 'reserved'],
    ['febf:ffff::', 'link-local'],
    ['fe80::1%eth0', 'link-local'],
    ['fec0::', 'site-local'],
    ['ff00::', 'multicast'],
    ['::', 'unspecified'],
    ['::1', 'loopback'],
    ['::2', 'IPv4 in IPv6'],
    ['::1:0:0', 'reserved'],
    ['64:ff9b::1:0:0', 'reserved'],
  ])('%s is %s', (address, range) => {
    expect(addressRange(address)).toBe(range);
  });

  it('what is no address has no range', () => {
    expect(() => addressRange('example.com')).toThrow(TypeError);
  });
});
