import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DEFAULT_OPTIONS } from './options.js';
import { probe } from './probe.js';
import { UnreachableError } from './target.js';
import { exchange, openExchange } from './wire/http.js';
import { serverSentEvents } from './wire/server-sent-events.js';
import { DEFAULT_WIRE_LIMITS, WireFault } from './wire/wire-fault.js';

const LIMITS = { ...DEFAULT_WIRE_LIMITS, timeoutMs: 400, maxBytes: 100_000 };

async function withServer<T>(listener: RequestListener, test: (url: string) => Promise<T>): Promise<T> {
  const server = createServer(listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    return await test(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

describe('an agent that means harm', () => {
  it.each<[string, RequestListener, RegExp]>([
    ['never answers', () => undefined, /within 400 ms/],
    ['sends its head and nothing more', (_, response) => void response.writeHead(200).write('{'), /within 400 ms/],
    ['sends too much', (_, response) => void response.end('x'.repeat(200_000)), /more than 100000 bytes/],
    ['nests too deeply', (_, response) => void response.end('['.repeat(50_000)), /nested deeper/],
    ['sends no JSON', (_, response) => void response.end('<html>'), /not JSON/],
    ['hangs up', (request) => void request.socket.destroy(), /no answer/],
  ])('%s: a fault with a reason', async (_, listener, reason) => {
    const got = withServer(listener, async (url) => (await exchange({ method: 'GET', url }, LIMITS)).json());
    await expect(got).rejects.toThrow(WireFault);
    await expect(withServer(listener, async (url) => (await exchange({ method: 'GET', url }, LIMITS)).json())).rejects.toThrow(
      reason,
    );
  });

  it('a line without an end is refused before it fills the memory', async () => {
    const endless: RequestListener = (_, response) => {
      const more = (): void => {
        while (!response.destroyed && response.write('y'.repeat(10_000)));
      };
      response.on('drain', more);
      more();
    };
    const read = withServer(endless, async (url) => {
      const stream = await openExchange({ method: 'GET', url }, { ...LIMITS, maxBytes: 10_000_000 });
      try {
        for await (const _ of serverSentEvents(stream.chunks, 50_000)) throw new Error('there is no event');
      } finally {
        stream.close();
      }
    });
    await expect(read).rejects.toThrow(/a line of more than 50000 bytes/);
  });

  it('a redirect is not followed', async () => {
    const redirect: RequestListener = (_, response) =>
      void response.writeHead(302, { location: 'http://169.254.169.254/' }).end();
    const got = withServer(redirect, (url) => probe({ ...DEFAULT_OPTIONS, url }));
    await expect(got).rejects.toThrow(UnreachableError);
  });

  it('an interface at another host gets no request', async () => {
    const card = {
      name: 'x',
      supportedInterfaces: [{ url: 'http://other.invalid/', protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
    };
    const report = await withServer(
      (_, response) => void response.end(JSON.stringify(card)),
      (url) => probe({ ...DEFAULT_OPTIONS, url, token: 'secret' }),
    );
    expect(report.interfaces[0]?.notProbed).toMatch(/trust-host other.invalid/);
    expect(report.results.filter(({ binding }) => binding !== undefined)).toEqual([]);
  });
});
