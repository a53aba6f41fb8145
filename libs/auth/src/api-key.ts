import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** `chorus_<id>_<secret>`: scanners of repositories find it by its first word, people their key by its id. */
const FORM = /^chorus_([0-9a-f]{16})_([A-Za-z0-9_-]{43})$/;

export interface NewApiKey {
  readonly id: string;
  /** The whole key, which is shown once. */
  readonly key: string;
  readonly secretHash: Uint8Array;
}

/** A new key of 256 random bits. */
export function newApiKey(): NewApiKey {
  const id = randomBytes(8).toString('hex');
  const secret = randomBytes(32).toString('base64url');
  return { id, key: `chorus_${id}_${secret}`, secretHash: hashOf(secret) };
}

/** What a key consists of; undefined for any other text. */
export function parseApiKey(text: string): { readonly id: string; readonly secret: string } | undefined {
  const [, id, secret] = FORM.exec(text) ?? [];
  return id === undefined || secret === undefined ? undefined : { id, secret };
}

/** Takes the same time whatever the secret. */
export const isSecretOf = (secret: string, secretHash: Uint8Array): boolean => timingSafeEqual(hashOf(secret), secretHash);

const hashOf = (secret: string): Buffer => createHash('sha256').update(secret).digest();
