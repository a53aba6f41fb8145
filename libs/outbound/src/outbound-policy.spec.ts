import { AllowEntryError, OutboundRefusedError } from './errors.js';
import { OutboundPolicy } from './outbound-policy.js';
import { REFUSED_URLS } from './refused-urls.spec-support.js';

const PUBLIC = '93.184.215.14';

function reasonOf(work: () => unknown): string | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    if (error instanceof OutboundRefusedError) return error.reason;
    throw error;
  }
}

/** As a connection is judged: the URL, then what its name resolved to. */
function judge(allow: string, url: string, addresses: readonly string[] = [PUBLIC]): string | undefined {
  const policy = new OutboundPolicy(allow);
  return reasonOf(() => {
    const destination = policy.inspect(url);
    if (!destination.isAddress) policy.permit(destination, addresses);
  });
}

describe('without an allow-list', () => {
  const policy = new OutboundPolicy();

  it.each(REFUSED_URLS)('%j is refused (%s): %s', (url, reason) => {
    expect(reasonOf(() => policy.inspect(url))).toBe(reason);
  });

  it.each([
    ['https://example.com/hook?a=b', 'https://example.com', '/hook?a=b'],
    ['HTTP://Example.COM./', 'http://example.com', '/'],
    ['https://example.com:8443/a/../b#fragment', 'https://example.com:8443', '/b'],
    ['https://例え.jp/', 'https://xn--r8jz45g.jp', '/'],
    ['http://a_b.example.com:8080', 'http://a_b.example.com:8080', '/'],
    ['https://example.com/@user', 'https://example.com', '/@user'],
    ['http://8.8.8.8/', 'http://8.8.8.8', '/'],
    ['http://[2606:2800:21f:cb07:6820:80da:af6b:8b2c]/', 'http://[2606:2800:21f:cb07:6820:80da:af6b:8b2c]', '/'],
    ['https://localhost.example.com/', 'https://localhost.example.com', '/'],
  ])('%s passes', (url, origin, path) => {
    expect(policy.inspect(url)).toMatchObject({ origin, path, isNamed: false });
  });

  it.each([
    [['10.0.0.1']],
    [[PUBLIC, '127.0.0.1']],
    [['127.0.0.1', PUBLIC]],
    [[PUBLIC, '::1']],
    [['::ffff:127.0.0.1']],
    [['64:ff9b::8.8.8.8']],
    [['fe80::1%eth0']],
  ])('a public name that resolves to %j is refused', (addresses) => {
    expect(judge('', 'https://hooks.example.com/', addresses)).toBe('address');
  });

  it('tells the address to the log, and not to whoever wrote the URL', () => {
    const destination = policy.inspect('https://hooks.example.com/');
    const error = new OutboundRefusedError('address');
    expect(() => policy.permit(destination, [PUBLIC, '10.11.12.13'])).toThrow(error);
    expect(error.message).not.toContain('10.11.12.13');
    try {
      policy.permit(destination, [PUBLIC, '10.11.12.13']);
    } catch (refused) {
      expect(refused).toMatchObject({ detail: 'hooks.example.com is at 10.11.12.13 (private)' });
    }
  });
});

describe('an allow-list opens what it names', () => {
  it.each<[allow: string, url: string, addresses: string[], reason: string | undefined]>([
    // A name: wherever in the operator's networks it is, at every port.
    ['receiver', 'http://receiver:3000/', ['172.18.0.5'], undefined],
    ['receiver', 'http://receiver/', ['fd00::5', '10.0.0.5'], undefined],
    ['Receiver.', 'http://receiver./', ['10.0.0.5'], undefined],
    ['receiver', 'http://receiver2/', ['172.18.0.5'], 'name'],
    ['receiver', 'http://receiver.corp/', ['172.18.0.5'], 'name'],
    ['localhost', 'http://localhost:9999/', ['127.0.0.1', '::1'], undefined],
    ['localhost', 'http://127.0.0.1:9999/', [], 'address'],
    ['receiver', 'http://receiver/', ['169.254.169.254'], 'address'],
    ['receiver', 'http://receiver/', ['0.0.0.0'], 'address'],
    ['receiver', 'http://receiver/', ['168.63.129.16'], 'address'],
    // A name at one port.
    ['receiver:3000', 'http://receiver:3000/', ['172.18.0.5'], undefined],
    ['receiver:3000', 'http://receiver/', ['172.18.0.5'], 'name'],
    ['hooks.example.com:3000', 'http://hooks.example.com:3000/', [PUBLIC], undefined],
    ['hooks.example.com:3000', 'http://hooks.example.com:3001/', [PUBLIC], 'port'],
    ['hooks.example.com:3000', 'http://hooks.example.com/', ['10.0.0.5'], 'address'],
    ['hooks.example.com:3000', 'http://hooks.example.com/', [PUBLIC], undefined],
    // Names below a domain.
    ['*.svc.cluster.local', 'http://a.b.svc.cluster.local:81/', ['10.0.0.5'], undefined],
    ['*.svc.cluster.local', 'http://svc.cluster.local/', ['10.0.0.5'], 'name'],
    ['*.corp.example:8000', 'http://evilcorp.example:8000/', [PUBLIC], 'port'],
    ['*.corp.example:8000', 'http://a.corp.example:8000/', ['10.0.0.5'], undefined],
    // A network: under whatever public name, at every port.
    ['10.1.0.0/16', 'http://10.1.2.3:9000/', [], undefined],
    ['10.1.0.0/16', 'http://10.2.0.1/', [], 'address'],
    ['10.1.0.0/16', 'http://hooks.example.com:9000/', ['10.1.2.3'], undefined],
    ['10.1.0.0/16', 'http://hooks.example.com:9000/', ['10.1.2.3', PUBLIC], 'port'],
    ['10.1.0.0/16', 'http://hooks.example.com/', ['10.1.2.3', PUBLIC], undefined],
    ['10.1.0.0/16', 'http://hooks.example.com/', ['10.1.2.3', '10.2.0.1'], 'address'],
    ['10.1.0.0/16', 'http://redis/', ['10.1.2.3'], 'name'],
    ['10.1.0.0/16', 'http://[::ffff:10.1.2.3]/', [], 'address'],
    ['0.0.0.0/0', 'http://[::ffff:10.1.2.3]/', [], 'address'],
    ['0.0.0.0/0', 'http://169.254.169.254/', [], undefined],
    ['127.0.0.1', 'http://127.0.0.1:3000/', [], undefined],
    ['127.0.0.1', 'http://127.0.0.2:3000/', [], 'address'],
    ['127.0.0.1:3000', 'http://127.0.0.1:3001/', [], 'address'],
    ['127.0.0.1:3000', 'http://2130706433:3000/', [], undefined],
    ['fd00::/8', 'http://[fd12::1]:81/', [], undefined],
    ['[fd00::/8]:8080', 'http://[fd12::1]:8080/', [], undefined],
    ['[fd00::/8]:8080', 'http://[fd12::1]/', [], 'address'],
    ['[::1]:3000', 'http://[::1]:3000/', [], undefined],
    // A network that translates to IPv4: where it leads is judged as well.
    ['64:ff9b::/96', 'https://hooks.example.com/', ['64:ff9b::808:808'], undefined],
    ['64:ff9b::/96', 'https://hooks.example.com/', ['64:ff9b::a00:1'], 'address'],
    ['64:ff9b::/96', 'https://hooks.example.com/', ['64:ff9b::'], 'address'],
    ['64:ff9b::/96, 10.0.0.0/8', 'https://hooks.example.com/', ['64:ff9b::a00:1'], undefined],
    // A port of public addresses.
    ['*:3000', 'http://hooks.example.com:3000/', [PUBLIC], undefined],
    ['*:3000', 'http://hooks.example.com:3000/', ['10.0.0.5'], 'address'],
    ['*:3000', 'http://8.8.8.8:3000/', [], undefined],
    ['*:3000', 'http://localhost:3000/', ['127.0.0.1'], 'name'],
    // Several.
    [' receiver , ,10.0.0.0/8:81', 'http://10.0.0.1:81/', [], undefined],
  ])('%j: %s at %j → %s', (allow, url, addresses, reason) => {
    expect(judge(allow, url, addresses)).toBe(reason);
  });

  it('but neither schemes nor credentials nor port 0', () => {
    const everything = '0.0.0.0/0,::/0,localhost';
    expect(judge(everything, 'ftp://localhost/')).toBe('scheme');
    expect(judge(everything, 'http://user@localhost/')).toBe('credentials');
    expect(judge(everything, 'http://localhost:0/')).toBe('port');
  });

  it.each([
    '10.0.0.0/33',
    '10.0.0/8',
    '10.0.0.0/8/8',
    '10.0.0.0/x',
    '300.0.0.1',
    '::/129',
    'fe80::1%eth0',
    '[fd00::/8',
    '[10.0.0.1]:80',
    'fd00::/8:x',
    '*',
    '*.*.example',
    'a.*.example',
    '*.',
    '*:0',
    'receiver:',
    'receiver:http',
    'receiver:65536',
    'http://receiver',
    'receiver/path',
    'user@receiver',
    '..',
  ])('%j is no entry', (entry) => {
    const read = () => new OutboundPolicy(`receiver,${entry}`);
    expect(read).toThrow(AllowEntryError);
    expect(read).toThrow(`"${entry}" is not a host name`);
  });
});
