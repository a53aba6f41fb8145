import { createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto';
import { calculateJwkThumbprint, type JWK } from 'jose';
import { SIGNING_ALGORITHMS } from './algorithms.js';
import { generateSigningKey, parseSigningKey, SigningKeyError } from './signing-key.js';

const jwkOf = (pem: string): JWK => createPrivateKey(pem).export({ format: 'jwk' }) as JWK;
const publicPem = (pem: string): string => createPublicKey(pem).export({ format: 'pem', type: 'spki' }) as string;
const ec = generateSigningKey('ES256');

describe('signing keys', () => {
  it.each(SIGNING_ALGORITHMS)('a new one for %s is read from PEM and from a JWK, as the same key', async (algorithm) => {
    const pem = generateSigningKey(algorithm);
    expect(pem).toMatch(/^-----BEGIN PRIVATE KEY-----\n/);
    const fromPem = await parseSigningKey(pem);
    const fromJwk = await parseSigningKey(JSON.stringify(jwkOf(pem)));
    expect(fromPem.algorithm).toBe(algorithm);
    expect(fromPem.publicKey).toEqual(fromJwk.publicKey);
    expect(fromPem.kid).toBe(await calculateJwkThumbprint(jwkOf(pem)));
    expect(fromPem.publicKey).toMatchObject({ kid: fromPem.kid, alg: algorithm, use: 'sig' });
    expect(fromPem.publicKey).not.toHaveProperty('d');
    expect(fromPem.privateKey?.type).toBe('private');
  });

  it.each<[string, string]>([
    ['on one line', ec.replace(/\n/g, '\\n')],
    ['with blanks around it', `\n  ${ec}\n`],
    ['as OpenSSL wrote it before', createPrivateKey(ec).export({ format: 'pem', type: 'sec1' }) as string],
  ])('PEM is read %s', async (_, text) => {
    expect((await parseSigningKey(text)).kid).toBe((await parseSigningKey(ec)).kid);
  });

  it('a JWK says its own id, and a public key has no private half', async () => {
    const named = await parseSigningKey(JSON.stringify({ ...jwkOf(ec), kid: 'k1', alg: 'ES256', use: 'sig' }));
    expect([named.kid, named.publicKey.kid]).toEqual(['k1', 'k1']);
    expect((await parseSigningKey(publicPem(ec))).privateKey).toBeUndefined();
    const { d: _, ...publicJwk } = jwkOf(ec);
    expect((await parseSigningKey(JSON.stringify(publicJwk))).privateKey).toBeUndefined();
  });

  const pkcs8 = (pair: { privateKey: { export(options: object): string | Buffer } }, options = {}): string =>
    pair.privateKey.export({ format: 'pem', type: 'pkcs8', ...options }) as string;

  it.each<[string, string, RegExp]>([
    ['text', 'hello', /neither a PEM key nor a JWK/],
    ['nothing', '', /neither a PEM key nor a JWK/],
    ['broken JSON', '{"kty":', /neither a PEM key nor a JWK/],
    ['broken PEM', ec.slice(0, 60), /cannot be read/],
    ['a broken JWK', '{"kty":"EC","crv":"P-256","x":"!"}', /JWK that cannot be read/],
    ['a shared secret', '{"kty":"oct","k":"AAAA"}', /shared secret/],
    ['another curve', pkcs8(generateKeyPairSync('ec', { namedCurve: 'P-384' })), /type EC P-384: .*EC P-256/],
    ['X25519', pkcs8(generateKeyPairSync('x25519')), /type OKP X25519/],
    ['weak RSA', pkcs8(generateKeyPairSync('rsa', { modulusLength: 1024 })), /RSA key of 1024 bits: at least 2048/],
    ['a key for another algorithm', JSON.stringify({ ...jwkOf(ec), alg: 'ES384' }), /type EC P-256 for ES384/],
    ['a key for encryption', JSON.stringify({ ...jwkOf(ec), use: 'enc' }), /for enc/],
    ['an empty kid', JSON.stringify({ ...jwkOf(ec), kid: '' }), /kid/],
    [
      'an encrypted key',
      pkcs8(generateKeyPairSync('ec', { namedCurve: 'P-256' }), { cipher: 'aes-256-cbc', passphrase: 'p' }),
      /is encrypted/,
    ],
  ])('%s is refused, and not repeated', async (_, text, message) => {
    const refused = parseSigningKey(text).catch((error: unknown) => error);
    const error = (await refused) as Error;
    expect(error).toBeInstanceOf(SigningKeyError);
    expect(error.message).toMatch(message);
    if (text.length > 50) expect(error.message).not.toContain(text.slice(30, 50));
  });
});
