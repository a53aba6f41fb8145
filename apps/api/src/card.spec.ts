import { ApiFixture, agent, type FixtureOptions } from './api-fixture.spec-support.js';

const PATH = '/.well-known/agent-card.json';
const V1 = { 'a2a-version': '1.0' };

async function withApi(options: FixtureOptions, test: (api: ApiFixture) => Promise<void>): Promise<void> {
  const api = await ApiFixture.start(options);
  try {
    await test(api);
  } finally {
    await api.stop();
  }
}

describe('the agent card', () => {
  it.each([PATH, `/a2a${PATH}`, `/agents/echo${PATH}`])('is served at %s', (path) =>
    withApi({ agents: [agent('echo', { capabilities: { extensions: [{ uri: 'urn:x' }] } })] }, async (api) => {
      const { status, headers, json } = await api.send('GET', path, V1);
      const url = `${api.url}/agents/echo`;
      expect([status, headers['content-type'], headers['cache-control']]).toEqual([
        200,
        'application/json',
        'public, max-age=60',
      ]);
      expect(headers['access-control-allow-origin']).toBe('*');
      expect(json).toEqual({
        name: 'Agent echo',
        description: 'Echoes',
        supportedInterfaces: [
          { url, protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
          { url, protocolBinding: 'HTTP+JSON', protocolVersion: '1.0' },
          { url, protocolBinding: 'JSONRPC', protocolVersion: '0.3' },
          { url, protocolBinding: 'HTTP+JSON', protocolVersion: '0.3' },
        ],
        version: '1.0.0',
        capabilities: { streaming: true, pushNotifications: false, extendedAgentCard: false, extensions: [{ uri: 'urn:x' }] },
        defaultInputModes: ['text/plain'],
        defaultOutputModes: ['text/plain'],
        skills: [{ id: 's', name: 'S', description: 'd', tags: ['t'] }],
      });
    }),
  );

  it('has validators, answers 304 to who has it, and HEAD without a body', () =>
    withApi({}, async (api) => {
      const { headers } = await api.send('GET', PATH);
      const etag = headers.etag as string;
      expect(etag).toMatch(/^"[\w-]{43}"$/);
      expect(headers['last-modified']).toBe('Fri, 02 Jan 2026 03:04:05 GMT');
      for (const [conditions, expected] of [
        [{ 'if-none-match': etag }, 304],
        [{ 'if-none-match': `"x", W/${etag}` }, 304],
        [{ 'if-none-match': '*' }, 304],
        [{ 'if-none-match': '"x"' }, 200],
        [{ 'if-modified-since': headers['last-modified'] as string }, 304],
        [{ 'if-modified-since': 'Fri, 02 Jan 2026 03:04:04 GMT' }, 200],
        [{ 'if-none-match': '"x"', 'if-modified-since': headers['last-modified'] as string }, 200],
      ] as [Record<string, string>, number][]) {
        const answer = await api.send('GET', PATH, conditions);
        expect([conditions, answer.status, answer.headers.etag]).toEqual([conditions, expected, etag]);
        if (expected === 304) expect(answer.body).toBe('');
      }
      const head = await api.send('HEAD', PATH);
      expect([head.status, head.body, head.headers.etag]).toEqual([200, '', etag]);
      expect(Number(head.headers['content-length'])).toBeGreaterThan(100);
    }));

  const forwarded = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'agents.test, inner', 'x-forwarded-prefix': '/hub/' };
  it.each<[string, FixtureOptions, Record<string, string>, string]>([
    ['the Host', {}, { host: 'example.test:81' }, 'http://example.test:81'],
    ['what a trusted proxy says', { trustProxy: ['127.0.0.0/8'] }, forwarded, 'https://agents.test/hub'],
    ['the Host when the peer is not trusted', { trustProxy: ['10.0.0.0/8'] }, { ...forwarded, host: 'h' }, 'http://h'],
    ['PUBLIC_URL', { publicUrl: 'https://public.test/base', trustProxy: ['127.0.0.1'] }, forwarded, 'https://public.test/base'],
    ['localhost instead of 0.0.0.0', {}, { host: '0.0.0.0:3000' }, 'http://localhost:3000'],
    ['localhost instead of [::]', {}, { host: '[::]:3000' }, 'http://localhost:3000'],
  ])('names %s', (_, options, headers, origin) =>
    withApi(options, async (api) => {
      const { json } = await api.send('GET', PATH, headers);
      expect(json.supportedInterfaces[0].url).toBe(`${origin}/agents/echo`);
    }),
  );

  it.each<[string, Record<string, string>, string, string]>([
    ['no proxy headers', {}, 'public, max-age=60', 'A2A-Version'],
    [
      'a prefix',
      { 'x-forwarded-prefix': '/x' },
      'private, max-age=60',
      'A2A-Version, x-forwarded-proto, x-forwarded-host, x-forwarded-prefix',
    ],
  ])('is for shared caches with %s or not', (_, headers, caching, vary) =>
    withApi({ trustProxy: ['127.0.0.1'] }, async (api) => {
      const answer = await api.send('GET', PATH, headers);
      expect([answer.headers['cache-control'], answer.headers['vary']]).toEqual([caching, vary]);
    }),
  );

  it('can be read by the web pages that CORS_ORIGINS names, out of a cache too', () =>
    withApi({ corsOrigins: ['https://app.test'], trustProxy: ['127.0.0.1'] }, async (api) => {
      const forwardedHost = { 'x-forwarded-host': 'h' };
      for (const [headers, allow, vary] of [
        [{ origin: 'https://app.test' }, 'https://app.test', 'Origin, A2A-Version'],
        [{ origin: 'https://evil.test' }, undefined, 'Origin, A2A-Version'],
        [forwardedHost, undefined, 'Origin, A2A-Version, x-forwarded-proto, x-forwarded-host, x-forwarded-prefix'],
      ] as [Record<string, string>, string | undefined, string][]) {
        const answer = await api.send('GET', PATH, headers);
        expect([answer.headers['access-control-allow-origin'], answer.headers['vary']]).toEqual([allow, vary]);
      }
    }));

  it('takes no markup from a made-up Host', () =>
    withApi({}, async (api) => {
      const { json } = await api.send('GET', PATH, { host: 'a"><b' });
      expect(json.supportedInterfaces[0].url).toBe(`http://localhost:${api.port}/agents/echo`);
    }));

  it('of an unknown agent is a 404 in JSON; a resolver without a trailing slash gets a hint', () =>
    withApi({}, async (api) => {
      expect((await api.send('GET', `/agents/nobody${PATH}`)).json.error.code).toBe(404);
      const asked = await api.send('GET', `/agents${PATH}`);
      expect([asked.status, asked.json.error.message.includes('ends in a slash')]).toEqual([404, true]);
    }));
});
