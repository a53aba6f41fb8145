import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fetchJson } from './fetch-json.js';

async function withServer(answer: RequestListener, test: (url: string) => Promise<void>): Promise<void> {
  const server: Server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    await test(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

describe('JSON from another host', () => {
  it('is read, with the headers that were asked for', () =>
    withServer(
      ({ headers }, response) => response.end(JSON.stringify([headers.accept, headers['a2a-version']])),
      async (url) => {
        expect(await fetchJson(url, { 'a2a-version': '1.0' })).toEqual(['application/json, application/jwk-set+json', '1.0']);
      },
    ));

  it.each<[string, RequestListener, string | RegExp]>([
    ['another status', (_, response) => response.writeHead(503).end('{}'), 'status 503'],
    ['a redirect', (_, response) => response.writeHead(302, { location: '/elsewhere' }).end(), /fetch failed/],
    ['more than a card can be', (_, response) => response.end(`"${'x'.repeat(1024 * 1024)}"`), 'more than 1048576 bytes'],
    ['no JSON', (_, response) => response.end('<html>'), /JSON/],
  ])('is not taken from %s', (_, answer, message) =>
    withServer(answer, (url) => expect(fetchJson(url)).rejects.toThrow(message)),
  );
});
