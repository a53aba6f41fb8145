import { generateAgentCardSignature, verifyAgentCardSignature, AgentCard as SdkCard } from '@a2a-js/sdk';
import { CompactSign, FlattenedSign, flattenedVerify, importJWK, type JWK } from 'jose';
import type { AgentCard } from '#protocol';
import { generateKeyPairSync } from 'node:crypto';
import { SIGNING_ALGORITHMS, type KeySet, type PublicKey, type SigningAlgorithm } from './algorithms.js';
import { canonicalCard } from './canonical-card.js';
import { CardSigner, UnsignableCardError } from './card-signer.js';
import { card } from './cards.spec-support.js';
import { generateSigningKey, parseSigningKey, SigningKeyError, type SigningKey } from './signing-key.js';
import { verifyAgentCard, type SignatureFault } from './verify-agent-card.js';

const KEY_SET_URL = 'https://a.example/.well-known/jwks.json';
const newKey = (algorithm: SigningAlgorithm = 'ES256'): Promise<SigningKey> => parseSigningKey(generateSigningKey(algorithm));
const signerOf = (current: SigningKey, previous?: SigningKey): CardSigner =>
  new CardSigner({ current, ...(previous ? { previous } : {}), keySetUrl: KEY_SET_URL });
const publicOnly = ({ privateKey: _, ...key }: SigningKey): SigningKey => key;
const trusting = (...keys: SigningKey[]): { keys: KeySet } => ({ keys: { keys: keys.map(({ publicKey }) => publicKey) } });
const faultsOf = async (
  given: unknown,
  options: Parameters<typeof verifyAgentCard>[1],
): Promise<(SignatureFault | undefined)[]> => (await verifyAgentCard(given, options)).signatures.map(({ fault }) => fault);

async function signed(signer: CardSigner, changes: Partial<AgentCard> = {}): Promise<AgentCard> {
  const unsigned = card(changes);
  return { ...unsigned, signatures: await signer.sign(unsigned) };
}

/** A signature as an attacker, or another program, would make it. */
async function signature(header: Record<string, unknown>, key: SigningKey, text = canonicalCard(card())): Promise<object> {
  const jws = await new FlattenedSign(Buffer.from(text)).setProtectedHeader(header as never).sign(key.privateKey as never);
  return { protected: jws.protected, signature: jws.signature };
}

const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

describe('signed cards', () => {
  it.each(SIGNING_ALGORITHMS)('with %s verify here, with jose alone, and with the official SDK', async (algorithm) => {
    const key = await newKey(algorithm);
    const whole = await signed(signerOf(key), { name: 'Ünïcödé 😀' });
    const [entry] = whole.signatures as { protected: string; signature: string }[];
    expect(JSON.parse(Buffer.from(entry!.protected, 'base64url').toString())).toEqual({
      alg: algorithm,
      typ: 'JOSE',
      kid: key.kid,
      jku: KEY_SET_URL,
    });
    expect(await verifyAgentCard(whole, trusting(key))).toEqual({
      verified: true,
      signatures: [{ valid: true, kid: key.kid, algorithm, keySetUrl: KEY_SET_URL }],
      uncovered: [],
    });
    const payload = Buffer.from(canonicalCard(whole)).toString('base64url');
    await flattenedVerify({ ...entry!, payload }, await importJWK(key.publicKey as JWK, algorithm));
    await verifyAgentCardSignature(async () => key.publicKey as JWK)(SdkCard.fromJSON(whole));
  });

  it('signed by the official SDK verify here', async () => {
    const key = await newKey();
    const sign = generateAgentCardSignature(key.privateKey!, { alg: 'ES256', kid: key.kid, typ: 'JOSE' });
    const whole = SdkCard.toJSON(
      await sign(SdkCard.fromJSON(card({ capabilities: { streaming: false, pushNotifications: true } }))),
    );
    expect(await verifyAgentCard(whole, trusting(key))).toMatchObject({ verified: true });
  });

  it('signed by the official SDK with empty values are told apart: it drops them, REQUIRED or not', async () => {
    const key = await newKey();
    const sign = generateAgentCardSignature(key.privateKey!, { alg: 'ES256', kid: key.kid, typ: 'JOSE' });
    const whole = SdkCard.toJSON(await sign(SdkCard.fromJSON(card({ description: '' }))));
    expect(await faultsOf(whole, trusting(key))).toEqual(['empty-values-dropped']);
  });

  it('are not made of cards that such verifiers would find wrong', async () => {
    const params = { capabilities: { extensions: [{ uri: 'urn:x', params: { hint: '' } }] } };
    const refused = signerOf(await newKey()).sign(card(params));
    await expect(refused).rejects.toThrow(UnsignableCardError);
    await expect(refused).rejects.toThrow('capabilities.extensions[0].params.hint must not be empty');
  });

  it('any change of what is covered shows, and what is not covered is told', async () => {
    const key = await newKey();
    const whole = await signed(signerOf(key));
    for (const change of [
      { name: 'Other' },
      { supportedInterfaces: [{ ...whole.supportedInterfaces[0], url: 'https://evil.example' }] },
      { capabilities: { streaming: true } },
      { capabilities: {} },
      { skills: [] },
    ]) {
      expect([change, await faultsOf({ ...whole, ...change }, trusting(key))]).toEqual([change, ['mismatch']]);
    }
    expect(await faultsOf({ ...whole, iconUrl: '' }, trusting(key))).toEqual(['empty-values-dropped']);
    const added = await verifyAgentCard({ ...whole, url: 'https://evil.example' }, trusting(key));
    expect([added.verified, added.uncovered]).toEqual([true, ['url']]);
  });
});

describe('rotation', () => {
  it('both keys sign while the private halves are there, and clients that know either are content', async () => {
    const [current, previous] = [await newKey(), await newKey('EdDSA')];
    const signer = signerOf(current, previous);
    const whole = await signed(signer);
    expect([whole.signatures?.length, signer.keyIds]).toEqual([2, [current.kid, previous.kid]]);
    expect(await faultsOf(whole, trusting(current))).toEqual([undefined, 'key-set-refused']);
    expect(await faultsOf(whole, trusting(previous))).toEqual(['key-set-refused', undefined]);
    expect((await verifyAgentCard(whole, trusting(previous))).verified).toBe(true);
  });

  it('a previous key without its private half is only published', async () => {
    const [current, previous] = [await newKey(), await newKey()];
    const signer = signerOf(current, publicOnly(previous));
    expect(signer.keySet.keys.map(({ kid }) => kid)).toEqual([current.kid, previous.kid]);
    expect((await signed(signer)).signatures?.length).toBe(1);
    expect(JSON.stringify(signer.keySet)).not.toContain('"d"');
  });

  it('needs a private current key, and two keys that differ', async () => {
    const key = await newKey();
    expect(() => signerOf(publicOnly(key))).toThrow(SigningKeyError);
    expect(() => signerOf(key, key)).toThrow(`has the id ${key.kid}, and so has the previous key`);
  });

  it('knows whether its signatures are the same bytes each time', async () => {
    const [ecdsa, eddsa, rsa] = [await newKey(), await newKey('EdDSA'), await newKey('RS256')];
    expect(signerOf(ecdsa).isDeterministic).toBe(false);
    expect(signerOf(eddsa, ecdsa).isDeterministic).toBe(false);
    const signer = signerOf(eddsa, rsa);
    expect(signer.isDeterministic).toBe(true);
    expect(await signer.sign(card())).toEqual(await signer.sign(card()));
  });
});

describe('a signature is refused', () => {
  const withSignatures = (...signatures: unknown[]): unknown => ({ ...card(), signatures });

  it.each<[string, unknown]>([
    ['no card', null],
    ['a card without any', card()],
    ['an empty list', { ...card(), signatures: [] }],
    ['no list', { ...card(), signatures: 'x' }],
  ])('and there is none: %s', async (_, given) => {
    expect(await verifyAgentCard(given, { keys: { keys: [] } })).toEqual({ verified: false, signatures: [], uncovered: [] });
  });

  it('by an unknown key', async () => {
    const entry = await signature({ alg: 'ES256', kid: 'nobody' }, await newKey());
    expect(await faultsOf(withSignatures(entry), trusting(await newKey()))).toEqual(['unknown-key']);
  });

  it('by another key of the same id', async () => {
    const [ours, theirs] = [await newKey(), await newKey()];
    const entry = await signature({ alg: 'ES256', kid: ours.kid }, theirs);
    expect(await faultsOf(withSignatures(entry), trusting(ours))).toEqual(['mismatch']);
  });

  it('of the algorithm none, or one that is made with the public key as a secret', async () => {
    const key = await newKey('RS256');
    const pem = Buffer.from(JSON.stringify(key.publicKey));
    const compact = await new CompactSign(Buffer.from(canonicalCard(card())))
      .setProtectedHeader({ alg: 'HS256', kid: key.kid })
      .sign(pem);
    const [header, , mac] = compact.split('.');
    const none = { protected: encoded({ alg: 'none', kid: key.kid }), signature: 'AA' };
    const given = withSignatures(none, { ...none, signature: '' }, { protected: header, signature: mac });
    expect(await faultsOf(given, trusting(key))).toEqual(['algorithm-not-allowed', 'malformed', 'algorithm-not-allowed']);
    // Not even when a shared secret stands in the key set that is trusted.
    const secret = { kty: 'oct', k: pem.toString('base64url'), kid: key.kid, alg: 'HS256' } as PublicKey;
    expect(await faultsOf(given, { keys: { keys: [secret] } })).not.toContain(undefined);
  });

  it('that names an algorithm which its key is not for', async () => {
    const [rsa, ec] = [await newKey('RS256'), await newKey()];
    const entry = await signature({ alg: 'ES256', kid: rsa.kid }, ec);
    expect(await faultsOf(withSignatures(entry), trusting(rsa))).toEqual(['algorithm-not-allowed']);
    const forOther = { keys: { keys: [{ ...ec.publicKey, alg: 'ES384' }] } };
    expect(await faultsOf(withSignatures(await signature({ alg: 'ES256', kid: ec.kid }, ec)), forOther)).toEqual([
      'algorithm-not-allowed',
    ]);
  });

  it('whose key is weak or broken', async () => {
    const weak = generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey.export({ format: 'jwk' }) as PublicKey;
    const entry = { protected: encoded({ alg: 'RS256', kid: 'w' }), signature: 'AAAA' };
    for (const key of [weak, { kty: 'RSA', n: 'x' }]) {
      expect(await faultsOf(withSignatures(entry), { keys: { keys: [{ ...key, kid: 'w' }] } })).toEqual(['unusable-key']);
    }
  });

  it.each<[string, unknown]>([
    ['null', null],
    ['no protected header', { signature: 'AAAA' }],
    ['a header that is no base64url', { protected: 'a b', signature: 'AAAA' }],
    ['a header that is no JSON', { protected: 'AAAA', signature: 'AAAA' }],
    ['a header that is a list', { protected: encoded([]), signature: 'AAAA' }],
    ['a kid in the unprotected header alone', { protected: encoded({ alg: 'ES256' }), header: { kid: 'k' }, signature: 'AAAA' }],
    ['a jku that is no text', { protected: encoded({ alg: 'ES256', kid: 'k', jku: 5 }), signature: 'AAAA' }],
    [
      'extensions of the header',
      { protected: encoded({ alg: 'ES256', kid: 'k', crit: ['b64'], b64: false }), signature: 'AAAA' },
    ],
  ])('that is malformed: %s', async (_, entry) => {
    const [fault] = await faultsOf(withSignatures(entry), { keys: { keys: [] } });
    expect(['malformed', 'algorithm-not-allowed']).toContain(fault);
  });

  it('that is of something which is no card', async () => {
    const key = await newKey();
    const given = { ...(await signed(signerOf(key))), skills: 'none' };
    expect(await faultsOf(given, trusting(key))).toEqual(['malformed']);
  });

  it('the second time, and beyond the sixteenth', async () => {
    const key = await newKey();
    const whole = await signed(signerOf(key));
    const [first] = whole.signatures!;
    expect(await faultsOf({ ...whole, signatures: [first, { ...first }] }, trusting(key))).toEqual([undefined, 'duplicate']);
    const many = Array.from({ length: 16 }, (_, n) => ({ protected: encoded({ alg: 'ES256', kid: `${n}` }), signature: 'AAAA' }));
    const result = await verifyAgentCard({ ...whole, signatures: [...many, first] }, trusting(key));
    expect([result.verified, result.signatures.at(-1)?.fault]).toEqual([false, 'not-examined']);
  });
});

describe('key sets that signatures name', () => {
  async function withKeySet(policy: object, answer: (url: string) => Promise<unknown>, kid?: string) {
    const asked: string[] = [];
    const key = await newKey();
    const whole = await signed(signerOf(kid === undefined ? key : { ...key, kid }));
    const fetch = (url: string): Promise<unknown> => {
      asked.push(url);
      return answer === serves ? Promise.resolve({ keys: [null, key.publicKey] }) : answer(url);
    };
    const { signatures } = await verifyAgentCard(whole, { keySets: { fetch, ...policy } });
    return { fault: signatures[0]?.fault, asked };
  }
  const serves = (): Promise<unknown> => Promise.resolve();

  it.each<[string, object, SignatureFault | undefined, number]>([
    ['of the origin of the card', { cardUrl: 'https://a.example/agents/x/.well-known/agent-card.json' }, undefined, 1],
    ['that the caller allows', { allowed: [KEY_SET_URL] }, undefined, 1],
    ['of another host', { cardUrl: 'https://b.example/card' }, 'key-set-refused', 0],
    ['of another scheme', { cardUrl: 'http://a.example/card' }, 'key-set-refused', 0],
    ['of another port', { cardUrl: 'https://a.example:8443/card' }, 'key-set-refused', 0],
    ['without a policy that says so', {}, 'key-set-refused', 0],
  ])('%s: %j', async (_, policy, fault, requests) => {
    const result = await withKeySet(policy, serves);
    expect([result.fault, result.asked.length]).toEqual([fault, requests]);
  });

  const allowed = { allowed: [KEY_SET_URL] };
  it.each<[string, () => Promise<unknown>, SignatureFault]>([
    ['cannot be read', () => Promise.reject(new Error('status 503')), 'key-set-unreachable'],
    ['are none', () => Promise.resolve('hello'), 'key-set-unreachable'],
    ['lack the key', () => Promise.resolve({ keys: [] }), 'unknown-key'],
  ])('that %s', async (_, answer, fault) => {
    expect((await withKeySet(allowed, answer)).fault).toBe(fault);
  });

  it('are asked for once, and only for a key that is not trusted already', async () => {
    const [current, previous] = [await newKey(), await newKey()];
    const signer = signerOf(current, previous);
    const whole = await signed(signer);
    const asked: string[] = [];
    const fetch = async (url: string): Promise<unknown> => {
      asked.push(url);
      return signer.keySet;
    };
    expect((await verifyAgentCard(whole, { keySets: { ...allowed, fetch } })).signatures.map(({ valid }) => valid)).toEqual([
      true,
      true,
    ]);
    expect(asked).toEqual([KEY_SET_URL]);
    await verifyAgentCard(whole, { ...trusting(current, previous), keySets: { ...allowed, fetch } });
    expect(asked.length).toBe(1);
  });

  it('may hold keys without an id, which their thumbprint finds', async () => {
    const key = await newKey();
    const { kid: _, ...nameless } = key.publicKey;
    expect((await verifyAgentCard(await signed(signerOf(key)), { keys: { keys: [nameless] } })).verified).toBe(true);
  });
});
