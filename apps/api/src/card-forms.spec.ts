import { canonicalCard, CardSigner, generateSigningKey, parseSigningKey, verifyAgentCard } from '#signing';
import { SILENT, StoreUnavailableError } from '#core';
import { agent, ApiFixture, type FixtureOptions, type RawAnswer } from './api-fixture.spec-support.js';

const PATH = '/.well-known/agent-card.json';
const LEGACY_PATH = '/.well-known/agent.json';
const KEY_SET_PATH = '/.well-known/jwks.json';
const PUBLIC_URL = 'https://public.test/base';
const V1 = { 'a2a-version': '1.0' };

async function withApi(options: FixtureOptions, test: (api: ApiFixture) => Promise<void>): Promise<void> {
  const api = await ApiFixture.start(options);
  try {
    await test(api);
  } finally {
    await api.stop();
  }
}

const newSigner = async (algorithm: 'ES256' | 'EdDSA' = 'ES256'): Promise<CardSigner> =>
  new CardSigner({
    current: await parseSigningKey(generateSigningKey(algorithm)),
    keySetUrl: `${PUBLIC_URL}${KEY_SET_PATH}`,
  });

/** The answer is the same without its body, and 304 for who has it. */
async function expectCaching(api: ApiFixture, path: string, headers: Record<string, string>, answer: RawAnswer): Promise<void> {
  const etag = answer.headers.etag as string;
  const head = await api.send('HEAD', path, headers);
  expect([head.status, head.body, head.headers.etag]).toEqual([200, '', etag]);
  const again = await api.send('GET', path, { ...headers, 'if-none-match': etag });
  expect([again.status, again.body, again.headers.etag]).toEqual([304, '', etag]);
  expect(again.headers['cache-control']).toBe(answer.headers['cache-control']);
  expect(again.headers['vary']).toBe(answer.headers['vary']);
}

describe('the forms of a card, while 0.3 is served', () => {
  const url = `${PUBLIC_URL}/agents/echo`;
  const options = {
    serveV03: true,
    publicUrl: PUBLIC_URL,
    agents: [agent('echo', { capabilities: { extensions: [{ uri: 'urn:x' }] } })],
  };
  const supportedInterfaces = ['1.0', '0.3'].flatMap((protocolVersion) =>
    ['JSONRPC', 'HTTP+JSON'].map((protocolBinding) => ({ url, protocolBinding, protocolVersion })),
  );
  const legacyFields = {
    protocolVersion: '0.3.0',
    url,
    preferredTransport: 'JSONRPC',
    additionalInterfaces: [
      { url, transport: 'JSONRPC' },
      { url, transport: 'HTTP+JSON' },
    ],
    supportsAuthenticatedExtendedCard: false,
  };
  const ofBoth = {
    name: 'Agent echo',
    description: 'Echoes',
    version: '1.0.0',
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    skills: [{ id: 's', name: 'S', description: 'd', tags: ['t'] }],
  };
  const legacyCapabilities = { streaming: true, pushNotifications: false, extensions: [{ uri: 'urn:x' }] };
  const capabilities = { ...legacyCapabilities, extendedAgentCard: false };
  const pure = { ...ofBoth, supportedInterfaces, capabilities };
  const both = { ...pure, ...legacyFields };
  const legacy = { ...ofBoth, ...legacyFields, capabilities: legacyCapabilities };

  it.each<[string, string, Record<string, string>, object, string | undefined]>([
    ['1.0', PATH, V1, pure, 'A2A-Version'],
    ['1.0 with a patch number', PATH, { 'a2a-version': '1.0.1' }, pure, 'A2A-Version'],
    ['1.0 in the query', `${PATH}?A2A-Version=1.0`, {}, pure, 'A2A-Version'],
    ['a version that is not served', PATH, { 'a2a-version': '9.9' }, pure, 'A2A-Version'],
    ['no version', PATH, {}, both, 'A2A-Version'],
    ['an empty version', PATH, { 'a2a-version': '' }, both, 'A2A-Version'],
    ['0.3', PATH, { 'a2a-version': '0.3' }, both, 'A2A-Version'],
    ['no version, of an agent by its name', `/agents/echo${PATH}`, {}, both, 'A2A-Version'],
    ['the path of 0.3', LEGACY_PATH, {}, legacy, undefined],
    ['the path of 0.3, whatever version is named', `/agents/echo${LEGACY_PATH}`, V1, legacy, undefined],
  ])('%s', (_, path, headers, expected, vary) =>
    withApi(options, async (api) => {
      const answer = await api.send('GET', path, headers);
      expect([answer.status, answer.headers['content-type'], answer.headers['vary']]).toEqual([200, 'application/json', vary]);
      expect(answer.json).toEqual(expected);
      await expectCaching(api, path, headers, answer);
    }),
  );

  it('have each a tag of its own', () =>
    withApi(options, async (api) => {
      const answers = await Promise.all([api.send('GET', PATH), api.send('GET', PATH, V1), api.send('GET', LEGACY_PATH)]);
      expect(new Set(answers.map(({ headers }) => headers.etag)).size).toBe(3);
      const [both, pure] = answers;
      expect((await api.send('GET', PATH, { ...V1, 'if-none-match': both.headers.etag as string })).status).toBe(200);
      expect((await api.send('GET', PATH, { 'if-none-match': pure.headers.etag as string })).status).toBe(200);
    }));

  it('vary with the origin and the proxy too', () =>
    withApi({ serveV03: true, corsOrigins: ['https://app.test'], trustProxy: ['127.0.0.1'] }, async (api) => {
      const { headers } = await api.send('GET', PATH, { 'x-forwarded-host': 'h' });
      expect(headers['vary']).toBe('Origin, A2A-Version, x-forwarded-proto, x-forwarded-host, x-forwarded-prefix');
    }));

  it('are one form, that of 1.0, when it is not', () =>
    withApi({ ...options, serveV03: false }, async (api) => {
      for (const headers of [{}, V1, { 'a2a-version': '0.3' }]) {
        const answer = await api.send('GET', PATH, headers);
        expect([answer.body.includes('0.3'), answer.json.url, answer.headers['vary']]).toEqual([false, undefined, undefined]);
      }
      for (const path of [LEGACY_PATH, `/agents/echo${LEGACY_PATH}`]) {
        const { status, json } = await api.send('GET', path);
        expect([status, json.error.code]).toEqual([404, 404]);
      }
    }));

  it('were last modified when the settings that they depend on were', () =>
    withApi({ ...options, cardsChangedAt: Date.UTC(2026, 5, 1) }, async (api) => {
      expect((await api.send('GET', PATH)).headers['last-modified']).toBe('Mon, 01 Jun 2026 00:00:00 GMT');
    }));
});

describe('a signed card', () => {
  it.each([true, false])('verifies with the keys that are served; 0.3 served: %s', async (serveV03) => {
    const cardSigner = await newSigner();
    await withApi({ cardSigner, publicUrl: PUBLIC_URL, serveV03 }, async (api) => {
      const answer = await api.send('GET', PATH, V1);
      const keySet = await api.send('GET', KEY_SET_PATH);
      expect(await verifyAgentCard(answer.json, { keys: keySet.json })).toMatchObject({
        verified: true,
        signatures: [{ valid: true, keySetUrl: `${PUBLIC_URL}${KEY_SET_PATH}` }],
        uncovered: [],
      });
      await expectCaching(api, PATH, V1, answer);
      for (const [path, expected] of [
        [PATH, serveV03 ? undefined : 1],
        [LEGACY_PATH, undefined],
      ] as const) {
        expect((await api.send('GET', path)).json.signatures?.length).toBe(expected);
      }
    });
  });

  it('is signed once: the same bytes for everyone', async () => {
    await withApi({ cardSigner: await newSigner(), publicUrl: PUBLIC_URL }, async (api) => {
      const answers = await Promise.all(Array.from({ length: 10 }, () => api.send('GET', PATH, V1)));
      expect(new Set(answers.map(({ body }) => body)).size).toBe(1);
    });
  });

  it('has one tag at every replica, though each signs for itself; another with other keys', async () => {
    const [signer, other] = [await newSigner(), await newSigner()];
    const tags: unknown[] = [];
    const bodies: string[] = [];
    for (const cardSigner of [signer, signer, other]) {
      await withApi({ cardSigner, publicUrl: PUBLIC_URL }, async (api) => {
        const { headers, body } = await api.send('GET', PATH, V1);
        tags.push(headers.etag);
        bodies.push(body);
      });
    }
    expect(tags[0]).toMatch(/^W\/"[\w-]{43}"$/);
    expect([tags[1] === tags[0], tags[2] === tags[0], bodies[1] === bodies[0]]).toEqual([true, false, false]);
  });

  it('has a strong tag when its signatures are the same everywhere', async () => {
    await withApi({ cardSigner: await newSigner('EdDSA'), publicUrl: PUBLIC_URL }, async (api) => {
      expect((await api.send('GET', PATH, V1)).headers.etag).toMatch(/^"[\w-]{43}"$/);
    });
  });

  it('is served without a signature, and the log says why, when verifiers would find it wrong', async () => {
    const logged: unknown[] = [];
    const logger = { ...SILENT, error: (message: string, fields: unknown) => logged.push([message, fields]) };
    const agents = [agent('echo', { capabilities: { extensions: [{ uri: 'urn:x', params: { hint: '' } }] } })];
    await withApi({ cardSigner: await newSigner(), publicUrl: PUBLIC_URL, agents, logger }, async (api) => {
      const { status, json } = await api.send('GET', PATH, V1);
      await api.send('GET', PATH, V1);
      expect([status, json.signatures]).toEqual([200, undefined]);
      expect(canonicalCard(json)).toContain('"hint":""');
      expect(logged).toEqual([
        [
          'An agent card is served unsigned',
          { agentId: 'echo', err: expect.objectContaining({ message: expect.stringContaining('params.hint') }) },
        ],
      ]);
    });
  });
});

describe('the key set', () => {
  it('is cacheable and public', async () => {
    const cardSigner = await newSigner();
    await withApi({ cardSigner, publicUrl: PUBLIC_URL }, async (api) => {
      const answer = await api.send('GET', KEY_SET_PATH);
      expect([answer.status, answer.headers['content-type'], answer.headers['cache-control']]).toEqual([
        200,
        'application/jwk-set+json',
        'public, max-age=300',
      ]);
      expect(answer.headers['access-control-allow-origin']).toBe('*');
      expect(answer.json).toEqual(cardSigner.keySet);
      await expectCaching(api, KEY_SET_PATH, {}, answer);
      expect((await api.send('POST', KEY_SET_PATH)).headers['allow']).toBe('GET, HEAD, OPTIONS');
    });
  });

  it('has the keys of push notifications too, as they are at the moment', async () => {
    const cardSigner = await newSigner();
    const published = [{ kid: 'p1' }];
    const notificationKeys = { list: async () => published };
    await withApi({ cardSigner, publicUrl: PUBLIC_URL, notificationKeys }, async (api) => {
      const first = await api.send('GET', KEY_SET_PATH);
      expect(first.json).toEqual({ keys: [...cardSigner.keySet.keys, { kid: 'p1' }] });
      published.unshift({ kid: 'p2' });
      const second = await api.send('GET', KEY_SET_PATH);
      expect(second.json.keys.map(({ kid }: { kid: string }) => kid)).toEqual([...cardSigner.keyIds, 'p2', 'p1']);
      expect(second.headers['etag']).not.toBe(first.headers['etag']);
    });
    await withApi({ notificationKeys }, async (api) => {
      expect((await api.send('GET', KEY_SET_PATH)).json).toEqual({ keys: published });
    });
  });

  it('cannot be told while the database is away', () =>
    withApi({ notificationKeys: { list: () => Promise.reject(new StoreUnavailableError('away')) } }, async (api) => {
      const { status, json } = await api.send('GET', KEY_SET_PATH);
      expect([status, json.error.code]).toEqual([503, 503]);
    }));

  it.each([{}, { notificationKeys: { list: async () => [] } }])('is not there without keys', (options) =>
    withApi(options, async (api) => {
      const { status, json } = await api.send('GET', KEY_SET_PATH);
      expect([status, json.error.code]).toEqual([404, 404]);
    }),
  );
});
