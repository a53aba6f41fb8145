import { SILENT } from '#core';
import { UnauthenticatedError, UnavailableError } from '#protocol';
import { exportSPKI, importJWK, SignJWT, UnsecuredJWT, type JWTPayload } from 'jose';
import { Authentication } from './authentication.js';
import { TestProvider } from './identity-provider.spec-support.js';
import { JwtTokens, type JwtTokensOptions } from './jwt-tokens.js';

const SKEW_MS = 30_000;

describe('JwtTokens', () => {
  let provider: TestProvider;
  let now: number;
  beforeEach(async () => {
    provider = await TestProvider.start();
    now = Date.now();
  });
  afterEach(() => provider.stop());

  function host(more: Partial<JwtTokensOptions> = {}) {
    const options = {
      issuer: provider.issuer,
      audience: ['chorus', 'chorus-dev'],
      algorithms: ['ES256', 'RS256', 'EdDSA'],
      clockSkewMs: SKEW_MS,
      tenantClaim: 'tenant',
      logger: SILENT,
      ...more,
    };
    const authentication = new Authentication([new JwtTokens(options, () => now)]);
    const authenticate = (token: string) => authentication.authenticate({ headers: { authorization: `Bearer ${token}` } });
    const fault = (token: string): Promise<string> =>
      authenticate(token).then(
        () => 'let in',
        (error: Error) => (error instanceof UnauthenticatedError ? error.message : error.name),
      );
    return { authentication, authenticate, fault };
  }

  it('a token says who its bearer is, and what it permits', async () => {
    const claims = { tenant: 'acme', scope: 'openid tasks:read tasks:write', agents: ['echo'], jti: 'token-1' };
    expect(await host().authenticate(await provider.token(claims))).toEqual({
      principal: { id: 'ada' },
      credentialId: 'token-1',
      tenant: 'acme',
      scopes: new Set(['tasks:read', 'tasks:write']),
      agents: new Set(['echo']),
    });
    expect(provider.requests).toEqual(['/.well-known/openid-configuration', '/keys']);
  });

  it.each<[string, JWTPayload, object]>([
    ['no tenant', { tenant: undefined }, { tenant: '' }],
    ['scp, a list', { scope: undefined, scp: ['push', 'else'] }, { scopes: new Set(['push']) }],
    ['scp, words', { scope: undefined, scp: 'push admin' }, { scopes: new Set(['push', 'admin']) }],
    ['no scope, which permits nothing', { scope: undefined }, { scopes: new Set() }],
    ['several audiences', { aud: ['other', 'chorus-dev'] }, { principal: { id: 'ada' } }],
  ])('a token with %s', async (_what, claims, expected) => {
    expect(await host().authenticate(await provider.token(claims))).toMatchObject(expected);
  });

  it('a token for every tenant is for administration alone', async () => {
    const token = await provider.token({ tenant: '*', scope: 'admin tasks:read tasks:write' });
    expect(await host().authenticate(token)).toMatchObject({ tenant: undefined, scopes: new Set(['admin']) });
  });

  it('the tenant is in the claim that is configured', async () => {
    const token = await provider.token({ tenant: 'acme', 'https://example.com/org': 'umbrella' });
    expect(await host({ tenantClaim: 'https://example.com/org' }).authenticate(token)).toMatchObject({ tenant: 'umbrella' });
  });

  it('each algorithm that is configured is accepted, and no other', async () => {
    for (const alg of ['RS256', 'EdDSA', 'ES256', 'ES384', 'PS256']) {
      const key = await provider.addKey(`key-${alg}`, alg);
      const expected = ['ES384', 'PS256'].includes(alg) ? 'The token is not valid' : 'let in';
      expect([alg, await host().fault(await provider.token({}, { key }))]).toEqual([alg, expected]);
    }
  });

  const invalid: [string, JWTPayload][] = [
    ['of another issuer', { iss: 'https://evil.example' }],
    ['for somebody else', { aud: 'other' }],
    ['for nobody', { aud: undefined }],
    ['without an end', { exp: undefined }],
    ['without a subject', { sub: undefined }],
    ['that is not valid yet', { nbf: Math.floor(Date.now() / 1000) + 3600 }],
  ];
  it.each(invalid)('a token %s is refused', async (_what, claims) => {
    expect(await host().fault(await provider.token(claims))).toBe('The token is not valid');
  });

  it.each<[string, JWTPayload, string]>([
    ['a subject of blanks', { sub: '  ' }, 'The token names no subject'],
    ['a subject that is too long', { sub: 'a'.repeat(257) }, 'The token names no subject'],
    ['a tenant that is no name', { tenant: 'a/b' }, 'The token names no tenant'],
    ['a tenant that is no text', { tenant: ['acme'] }, 'The token names no tenant'],
    ['agents that are no list', { agents: 'echo' }, 'The claim agents of the token is no list of ids'],
  ])('a token with %s is refused', async (_what, claims, message) => {
    expect(await host().fault(await provider.token(claims))).toBe(message);
  });

  it('an unsigned token is refused, and one that is signed with the public key as a secret', async () => {
    const claims = { iss: provider.issuer, aud: 'chorus', sub: 'ada', exp: Math.floor(now / 1000) + 60 };
    expect(await host().fault(new UnsecuredJWT(claims).encode())).toBe('The token is not valid');
    const [{ publicJwk, kid }] = provider.keys as [(typeof provider.keys)[number]];
    const publicKey = await exportSPKI((await importJWK(publicJwk, 'ES256', { extractable: true })) as never);
    const confused = await new SignJWT(claims).setProtectedHeader({ alg: 'HS256', kid }).sign(Buffer.from(publicKey));
    for (const algorithms of [['ES256'], ['ES256', 'HS256']]) {
      expect(await host({ algorithms }).fault(confused)).toBe('The token is not valid');
    }
  });

  it('a token whose signature was touched, or of a key of somebody else, is refused', async () => {
    const token = await provider.token({});
    const [head, , signature] = token.split('.') as [string, string, string];
    const claims = Buffer.from(JSON.stringify({ iss: provider.issuer, aud: 'chorus', sub: 'eve', exp: 9e9 })).toString(
      'base64url',
    );
    const { fault } = host();
    expect(await fault(`${head}.${claims}.${signature}`)).toBe('The token is not valid');
    const other = await TestProvider.start();
    const foreign = await other.token({ iss: provider.issuer });
    await other.stop();
    expect(await fault(foreign)).toBe('The token is not valid');
    expect(await fault(token)).toBe('let in');
    for (const text of ['a', 'a.b', 'a.b.c', '..', `${token}.x`]) expect(await fault(text)).toBe('The token is not valid');
    expect(await fault('a'.repeat(16_385))).toBe('The token is too long');
  });

  it('ends with its time and the skew of the clocks, also when it was verified before', async () => {
    const exp = Math.floor(now / 1000) + 10;
    const token = await provider.token({ exp });
    const { fault } = host();
    now = exp * 1000 + SKEW_MS - 1;
    expect(await fault(token)).toBe('let in');
    now = exp * 1000 + SKEW_MS;
    expect(await fault(token)).toBe('The token has expired');
  });

  it('finds a new key when a token names it, and stops believing one that is withdrawn', async () => {
    const { fault } = host();
    const old = await provider.token({ sub: 'old' });
    expect(await fault(old)).toBe('let in');
    const next = await provider.addKey('k2');
    provider.keys.shift();
    const fresh = host();
    expect(await fresh.fault(await provider.token({ sub: 'new' }, { key: next }))).toBe('let in');
    expect(await fresh.fault(old)).toBe('The token is not valid');
  });

  it('asks the provider once, however many tokens and requests there are', async () => {
    const { fault } = host({ jwksUrl: provider.jwksUrl });
    const tokens = await Promise.all(Array.from({ length: 20 }, (_, n) => provider.token({ sub: `p${n}` })));
    expect(new Set(await Promise.all([...tokens, ...tokens].map(fault)))).toEqual(new Set(['let in']));
    const unknown = await provider.token({}, { key: { ...provider.keys[0]!, kid: 'made up' } });
    for (let n = 0; n < 5; n += 1) expect(await fault(unknown)).toBe('The token is not valid');
    // The keys are new: a name that is made up is no reason to ask again.
    expect(provider.requests).toEqual(['/keys']);
  });

  it.each<[string, string, { status: number; body: string }]>([
    ['the discovery document fails', '/.well-known/openid-configuration', { status: 500, body: '' }],
    ['it is no JSON', '/.well-known/openid-configuration', { status: 200, body: '<html>' }],
    [
      'it is of another issuer',
      '/.well-known/openid-configuration',
      { status: 200, body: '{"issuer":"https://evil.example","jwks_uri":"https://evil.example/keys"}' },
    ],
    ['the keys fail', '/keys', { status: 503, body: '' }],
    ['they are none', '/keys', { status: 200, body: '{}' }],
  ])('while %s nobody is let in, and it is no fault of theirs', async (_what, path, answer) => {
    provider.answers.set(path, answer);
    expect(await host().fault(await provider.token({}))).toBe(new UnavailableError('').name);
  });

  it('cards say where tokens come from', () => {
    expect(host().authentication.schemes).toEqual({
      oidc: { openIdConnectSecurityScheme: { openIdConnectUrl: `${provider.issuer}/.well-known/openid-configuration` } },
    });
    expect(host({ jwksUrl: provider.jwksUrl }).authentication.schemes).toEqual({
      jwt: { httpAuthSecurityScheme: { description: `A token of ${provider.issuer}`, scheme: 'Bearer', bearerFormat: 'JWT' } },
    });
  });

  it('and by which flows, one scheme each, as far as it is configured', () => {
    const { tokenUrl, deviceAuthorizationUrl } = provider;
    const schemesWith = (oauth2: object) => host({ oauth2 }).authentication.schemes;
    const description = 'Tokens have to be for the audience chorus or chorus-dev';
    const scopes = expect.objectContaining({ 'tasks:read': expect.any(String), 'card:extended': expect.any(String) });
    const oauth2ClientCredentials = { oauth2SecurityScheme: { description, flows: { clientCredentials: { tokenUrl, scopes } } } };
    const flows = { deviceCode: { deviceAuthorizationUrl, tokenUrl, scopes } };
    expect(schemesWith({ tokenUrl })).toEqual({ oidc: expect.anything(), oauth2ClientCredentials });
    expect(schemesWith({ tokenUrl, deviceAuthorizationUrl })).toEqual({
      oidc: expect.anything(),
      oauth2ClientCredentials,
      oauth2DeviceCode: { oauth2SecurityScheme: { description, flows } },
    });
    expect(JSON.stringify(schemesWith({ tokenUrl }))).not.toContain('admin');
  });

  it('an API key is none of its business', async () => {
    expect(await host().fault(`chorus_0123456789abcdef_${'a'.repeat(43)}`)).toBe(
      'This host needs a credential; its agent cards say which',
    );
  });
});
