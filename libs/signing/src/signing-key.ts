import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { calculateJwkThumbprint, type JWK } from 'jose';
import { algorithmOf, SHORTEST_RSA_BITS, type PublicKey, type SigningAlgorithm } from './algorithms.js';

/** A key that cards cannot be signed with. The message says why, and holds nothing of the key. */
export class SigningKeyError extends Error {
  override readonly name = 'SigningKeyError';
}

export interface SigningKey {
  readonly algorithm: SigningAlgorithm;
  readonly kid: string;
  /** As it stands in a key set. */
  readonly publicKey: PublicKey;
  /** Absent of a key that is only published. */
  readonly privateKey?: KeyObject;
}

const NEITHER = 'is neither a PEM key nor a JWK';

/**
 * Reads a key from PEM (PKCS#8, or what OpenSSL wrote before it) or from a JWK. Its id is the JWK's `kid`, else its thumbprint
 * (RFC 7638). Rejects with SigningKeyError for any other key than EC P-256, RSA from 2048 bits and Ed25519.
 */
export async function parseSigningKey(text: string): Promise<SigningKey> {
  // Environment files keep a key on one line.
  const written = text.trim().replace(/\\n/g, '\n');
  const jwk = written.startsWith('{') ? jwkOf(written) : undefined;
  const { privateKey, publicKey } = jwk ? keysOfJwk(jwk) : keysOfPem(written);
  const exported = publicKey.export({ format: 'jwk' }) as PublicKey;
  const algorithm = algorithmOf({ ...exported, ...pick(jwk) });
  if (algorithm === undefined) throw new SigningKeyError(wrongType(exported, jwk));
  const bits = publicKey.asymmetricKeyDetails?.modulusLength;
  if (bits !== undefined && bits < SHORTEST_RSA_BITS) {
    throw new SigningKeyError(`is an RSA key of ${bits} bits: at least ${SHORTEST_RSA_BITS} are needed`);
  }
  const kid = jwk?.kid ?? (await calculateJwkThumbprint(exported as JWK));
  return {
    algorithm,
    kid,
    publicKey: { ...exported, kid, alg: algorithm, use: 'sig' },
    ...(privateKey === undefined ? {} : { privateKey }),
  };
}

/** A new private key as PEM (PKCS#8). */
export function generateSigningKey(algorithm: SigningAlgorithm): string {
  const { privateKey } =
    algorithm === 'ES256'
      ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
      : algorithm === 'RS256'
        ? generateKeyPairSync('rsa', { modulusLength: 3072 })
        : generateKeyPairSync('ed25519');
  return privateKey.export({ format: 'pem', type: 'pkcs8' }) as string;
}

interface KeyPair {
  readonly privateKey?: KeyObject;
  readonly publicKey: KeyObject;
}

function jwkOf(text: string): JWK {
  try {
    return JSON.parse(text) as JWK;
  } catch {
    throw new SigningKeyError(NEITHER);
  }
}

function keysOfJwk(jwk: JWK): KeyPair {
  if (jwk.kty === 'oct') throw new SigningKeyError('is a shared secret: a card needs a key pair');
  if (jwk.kid !== undefined && (typeof jwk.kid !== 'string' || jwk.kid === '')) {
    throw new SigningKeyError('has a kid that is no text');
  }
  try {
    if (jwk.d === undefined) return { publicKey: createPublicKey({ key: jwk as never, format: 'jwk' }) };
    const privateKey = createPrivateKey({ key: jwk as never, format: 'jwk' });
    return { privateKey, publicKey: createPublicKey(privateKey) };
  } catch {
    throw new SigningKeyError('is a JWK that cannot be read');
  }
}

function keysOfPem(text: string): KeyPair {
  if (!text.startsWith('-----BEGIN ')) throw new SigningKeyError(NEITHER);
  if (/^-----BEGIN ENCRYPTED|^Proc-Type: 4,ENCRYPTED/m.test(text))
    throw new SigningKeyError('is encrypted: write it without a password');
  try {
    if (!/PRIVATE KEY-----/.test(text)) return { publicKey: createPublicKey(text) };
    const privateKey = createPrivateKey(text);
    return { privateKey, publicKey: createPublicKey(privateKey) };
  } catch {
    throw new SigningKeyError('is a PEM key that cannot be read');
  }
}

const pick = (jwk: JWK | undefined): PublicKey => ({
  ...(jwk?.alg === undefined ? {} : { alg: jwk.alg }),
  ...(jwk?.use === undefined ? {} : { use: jwk.use }),
});

function wrongType({ kty, crv }: PublicKey, jwk: JWK | undefined): string {
  const type = [kty, crv].filter(Boolean).join(' ');
  const told = [jwk?.alg, jwk?.use].filter(Boolean).join(', ');
  return `is a key of type ${type}${told ? ` for ${told}` : ''}: EC P-256 (ES256), RSA (RS256) and Ed25519 (EdDSA) can sign cards`;
}
