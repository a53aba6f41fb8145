import { jest } from '@jest/globals';
import { DnsServer, type Zone } from './dns-server.spec-support.js';
import { OutboundFailedError, OutboundRefusedError, OutboundTimeoutError } from './errors.js';
import { GuardedFetch, type GuardedFetchOptions } from './guarded-fetch.js';
import { OutboundPolicy } from './outbound-policy.js';
import { Receiver } from './receiver.spec-support.js';
import { REFUSED_URLS } from './refused-urls.spec-support.js';
import { selfSigned } from './certificate.spec-support.js';

const PUBLIC = '93.184.215.14';
const HOST = 'hooks.example.com';

const open: { close(): Promise<void> }[] = [];

afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});

function kept<T extends { close(): Promise<void> }>(each: T): T {
  open.push(each);
  return each;
}

const receiver = async (...args: Parameters<typeof Receiver.start>) => kept(await Receiver.start(...args));
const dns = async (zone: Zone) => kept(await DnsServer.start(zone));
const guarded = (allow = '', options: GuardedFetchOptions = {}) => kept(new GuardedFetch(new OutboundPolicy(allow), options));

/** All that is dialled in these tests; what is refused is beside it on the same machine. */
const here = ({ port }: Receiver) => `127.0.0.1:${port}`;

describe('where a name leads', () => {
  it('is looked up once: the answer that was judged is the one that is dialled', async () => {
    const sink = await receiver((_, response) => response.end('ok'));
    // The second answer is as internal as the first, and not allowed.
    const server = await dns((_, time) => (time === 1 ? ['127.0.0.1'] : ['127.0.0.2']));
    const guard = guarded(here(sink), { resolve: server.resolve });
    const answer = await guard.fetch(`http://${HOST}:${sink.port}/`);
    expect(await answer.text()).toBe('ok');
    expect(server.queries.sort()).toEqual([`${HOST}/4`, `${HOST}/6`]);
  });

  it('is judged at each connection: a name that is turned inwards after its registration is not dialled', async () => {
    const sink = await receiver((_, response) => response.end('secret'));
    const server = await dns((_, time) => (time === 1 ? [PUBLIC] : ['127.0.0.1']));
    const guard = guarded(`*:${sink.port}`, { resolve: server.resolve });
    const url = `http://${HOST}:${sink.port}/`;
    await guard.checkUrl(url);
    const refused = await guard.fetch(url).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(OutboundRefusedError);
    expect(refused).toMatchObject({ reason: 'address', detail: `${HOST} is at 127.0.0.1 (loopback)` });
    expect((refused as Error).message).not.toContain('127.0.0.1');
    expect(server.queries).toHaveLength(4);
    expect(sink.connections).toBe(0);
  });

  it('is judged again when a connection has ended, not while it lasts', async () => {
    let keep = true;
    const sink = await receiver((_, response) => response.setHeader('connection', keep ? 'keep-alive' : 'close').end('ok'));
    const server = await dns((_, time) => (time === 1 ? ['127.0.0.1'] : ['127.0.0.2']));
    const guard = guarded(here(sink), { resolve: server.resolve, connectionsPerOrigin: 1 });
    const url = `http://${HOST}:${sink.port}/`;
    await (await guard.fetch(url)).text();
    keep = false;
    await (await guard.fetch(url)).text();
    await sink.left();
    expect([sink.connections, sink.requests, server.queries.length]).toEqual([1, 2, 2]);
    await expect(guard.fetch(url)).rejects.toMatchObject({ name: 'OutboundRefusedError', reason: 'address' });
    expect(sink.connections).toBe(1);
  });

  it.each([
    ['one of several', [PUBLIC, '127.0.0.1']],
    ['the IPv6 address alone', [PUBLIC, '::1']],
    ['an IPv4-mapped address', ['::ffff:127.0.0.1']],
    ['a NAT64 address', ['64:ff9b::7f00:1']],
    ['a cloud’s metadata', ['169.254.169.254']],
  ])('is refused for %s, at registration and at delivery', async (_, addresses) => {
    const sink = await receiver((_, response) => response.end('secret'));
    const server = await dns(() => addresses);
    const guard = guarded(`*:${sink.port}`, { resolve: server.resolve });
    const url = `http://${HOST}:${sink.port}/`;
    await expect(guard.checkUrl(url)).rejects.toMatchObject({ reason: 'address' });
    await expect(guard.fetch(url)).rejects.toMatchObject({ reason: 'address' });
    expect(sink.connections).toBe(0);
  });

  it('may be the machine’s own answer for a name that is allowed', async () => {
    const sink = await receiver((_, response) => response.end('ok'));
    const asked = jest.fn(() => Promise.reject(new Error('not to be asked')));
    const guard = guarded(`localhost:${sink.port}`, { resolve: asked });
    await guard.checkUrl(`http://localhost:${sink.port}/`);
    expect(await (await guard.fetch(`http://localhost:${sink.port}/`)).text()).toBe('ok');
    expect(asked).not.toHaveBeenCalled();
  });

  it.each(REFUSED_URLS)('%j is refused before anybody is asked (%s: %s)', async (url, reason) => {
    const asked = jest.fn(() => Promise.resolve([{ address: PUBLIC, family: 4 as const }]));
    const guard = guarded('', { resolve: asked, resolveNamed: asked });
    await expect(guard.fetch(url)).rejects.toMatchObject({ name: 'OutboundRefusedError', reason });
    await expect(guard.checkUrl(url)).rejects.toMatchObject({ name: 'OutboundRefusedError', reason });
    expect(asked).not.toHaveBeenCalled();
  });
});

describe('registration does not depend on DNS', () => {
  it('passes a name that has no address', async () => {
    const server = await dns(() => undefined);
    const guard = guarded('', { resolve: server.resolve });
    await guard.checkUrl(`https://${HOST}/`);
    expect(server.queries).toHaveLength(2);
    await expect(guard.fetch(`https://${HOST}/`)).rejects.toMatchObject({
      name: 'OutboundFailedError',
      message: 'The host name has no address',
      code: 'ENOTFOUND',
    });
  });

  it('passes a name whose server is silent, and an address without asking', async () => {
    const asked = jest.fn(() => new Promise<never>(() => {}));
    const guard = guarded('', { resolve: asked, checkTimeoutMs: 50 });
    await guard.checkUrl(`https://${HOST}/`);
    expect(asked).toHaveBeenCalledTimes(1);
    await guard.checkUrl('https://8.8.8.8/');
    expect(asked).toHaveBeenCalledTimes(1);
    await expect(guard.fetch(`https://${HOST}/`, { timeoutMs: 50 })).rejects.toBeInstanceOf(OutboundTimeoutError);
  });
});

describe('an exchange', () => {
  it('carries what was asked, to the host that was judged', async () => {
    const sink = await receiver((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { method, url, headers } = request;
        response.writeHead(207, { 'content-type': 'application/json', 'x-note': Buffer.from('é').toString('latin1') });
        response.end(JSON.stringify({ method, url, headers, body: Buffer.concat(chunks).toString() }));
      });
    });
    const answer = await guarded(here(sink)).fetch(`http://${here(sink)}/a?b=c#d`, {
      headers: { authorization: 'Bearer t', host: 'elsewhere' },
      body: '{"é":1}',
    });
    expect([answer.status, answer.headers.get('x-note')]).toEqual([207, Buffer.from('é').toString('latin1')]);
    expect(await answer.json()).toEqual({
      method: 'POST',
      url: '/a?b=c',
      body: '{"é":1}',
      headers: {
        host: here(sink),
        connection: 'keep-alive',
        authorization: 'Bearer t',
        'user-agent': 'Chorus',
        'accept-encoding': 'identity',
        'content-length': '8',
      },
    });
  });

  it('does not follow redirects', async () => {
    const inside = await receiver((_, response) => response.end('secret'));
    const sink = await receiver((_, response) => response.writeHead(302, { location: `http://${here(inside)}/` }).end());
    const answer = await guarded(`${here(sink)},${here(inside)}`).fetch(`http://${here(sink)}/`);
    expect([answer.status, answer.headers.get('location')]).toEqual([302, `http://${here(inside)}/`]);
    expect(inside.connections).toBe(0);
  });

  it('has no body for 204', async () => {
    const sink = await receiver((_, response) => response.writeHead(204).end());
    const guard = guarded(here(sink), { connectionsPerOrigin: 1 });
    for (const time of [1, 2]) expect([time, (await guard.fetch(`http://${here(sink)}/`)).body]).toEqual([time, null]);
    expect(sink.connections).toBe(1);
  });

  it('fails without telling the address when nobody listens', async () => {
    const sink = await receiver((_, response) => response.end());
    const url = `http://${HOST}:${sink.port}/`;
    const guard = guarded(here(sink), { resolve: () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]) });
    await sink.close();
    open.splice(open.indexOf(sink), 1);
    const error = await guard.fetch(url).catch((error: unknown) => error);
    expect(error).toBeInstanceOf(OutboundFailedError);
    expect(error).toMatchObject({ message: 'The host refused the connection', code: 'ECONNREFUSED' });
  });

  it.each<[string, string, string]>([
    ['closes without an answer', '', 'The host closed the connection'],
    ['answers what is not HTTP', 'SSH-2.0-OpenSSH_9.6\r\n\r\n', 'The answer is not valid HTTP'],
    ['answers a status that is none', 'HTTP/1.1 999 Odd\r\ncontent-length: 0\r\n\r\n', 'The answer is not valid HTTP'],
    [
      'answers with endless headers',
      `HTTP/1.1 200 OK\r\nx: ${'x'.repeat(100_000)}\r\n\r\n`,
      'The headers of the answer are too long',
    ],
  ])('fails when the host %s', async (_, bytes, message) => {
    const sink = await receiver((_, response) => response.socket?.end(bytes));
    await expect(guarded(here(sink)).fetch(`http://${here(sink)}/`)).rejects.toMatchObject({
      name: 'OutboundFailedError',
      message,
    });
  });

  it('fails for a header that is none, and for a method that opens tunnels', async () => {
    const sink = await receiver((_, response) => response.end());
    const guard = guarded(here(sink));
    await expect(guard.fetch(`http://${here(sink)}/`, { headers: { 'x-token': 'a\r\nhost: b' } })).rejects.toBeInstanceOf(Error);
    await expect(guard.fetch(`http://${here(sink)}/`, { method: 'CONNECT' })).rejects.toBeInstanceOf(OutboundFailedError);
    expect(sink.connections).toBe(0);
  });
});

describe('a certificate', () => {
  const resolve = () => Promise.resolve([{ address: '127.0.0.1', family: 4 as const }]);

  it('for the name is taken, and the name is what the host hears', async () => {
    const pair = selfSigned(HOST);
    const sink = await receiver((request, response) => {
      response.end(JSON.stringify([(request.socket as unknown as { servername: string }).servername, request.headers.host]));
    }, pair);
    const guard = guarded(here(sink), { resolve, ca: pair.cert });
    const answer = await guard.fetch(`https://${HOST}.:${sink.port}/`);
    expect(await answer.json()).toEqual([HOST, `${HOST}:${sink.port}`]);
  });

  it.each([
    ['another name', { trusted: true, name: 'elsewhere.example.com' }],
    ['the name, of nobody that is trusted', { trusted: false, name: HOST }],
  ])('for %s is not', async (_, { trusted, name }) => {
    const pair = selfSigned(name);
    const sink = await receiver((_, response) => response.end('secret'), pair);
    const guard = guarded(here(sink), { resolve, ca: trusted ? pair.cert : undefined });
    await expect(guard.fetch(`https://${HOST}:${sink.port}/`)).rejects.toMatchObject({
      name: 'OutboundFailedError',
      message: "The host's certificate is not valid for its name",
    });
    expect(sink.requests).toBe(0);
  });
});
