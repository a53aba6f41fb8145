import { createCipheriv, createDecipheriv, createHmac, createSecretKey, randomBytes, type KeyObject } from 'node:crypto';

/** What a receiver of push notifications is to be shown, and nobody else. */
export interface PushSecrets {
  readonly token?: string;
  readonly credentials?: string;
}

export interface SecretBoxKeys {
  /** 32 bytes; seals and opens. */
  readonly key: Buffer;
  /** The key before it, while something may still be sealed with it; only opens. */
  readonly previous?: Buffer;
}

/** What was sealed cannot be opened; the message holds nothing of it. */
export class SealedSecretError extends Error {
  override readonly name = 'SealedSecretError';

  constructor(
    /** `key`: sealed with a key that is not here. `damaged`: changed since, or sealed for another place. */
    readonly reason: 'key' | 'damaged',
    message: string,
  ) {
    super(message);
  }
}

interface NamedKey {
  readonly id: Buffer;
  readonly key: KeyObject;
}

const ALGORITHM = 'aes-256-gcm';
const KEY_BYTES = 32;
/** Form of a sealed secret: this byte, the key's id, nonce, tag, ciphertext. */
const FORM = 1;
const ID_BYTES = 8;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const NONCE_AT = 1 + ID_BYTES;
const TAG_AT = NONCE_AT + NONCE_BYTES;
const CIPHERTEXT_AT = TAG_AT + TAG_BYTES;

/**
 * Keeps secrets in a database that does not have the key. What is sealed for one place opens only there: who can write rows, and not
 * read secrets, could otherwise have one sent elsewhere by copying it into a row of their own.
 */
export class SecretBox {
  readonly #current: NamedKey;
  readonly #keys: readonly NamedKey[];

  constructor({ key, previous }: SecretBoxKeys) {
    this.#current = named(key);
    this.#keys = previous === undefined ? [this.#current] : [this.#current, named(previous)];
  }

  /** The secrets of a push notification configuration. */
  seal(taskId: string, configId: string, secrets: PushSecrets): Buffer {
    const { token, credentials } = secrets;
    return this.sealFor(placeOf(taskId, configId), Buffer.from(JSON.stringify({ token, credentials })));
  }

  /** @throws SealedSecretError */
  open(taskId: string, configId: string, sealed: Uint8Array): PushSecrets {
    return JSON.parse(this.openFor(placeOf(taskId, configId), sealed).toString()) as PushSecrets;
  }

  /** @param place where it is kept; opens only with the same words. */
  sealFor(place: readonly string[], secret: Uint8Array): Buffer {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(ALGORITHM, this.#current.key, nonce, { authTagLength: TAG_BYTES });
    cipher.setAAD(Buffer.from(JSON.stringify(place)));
    const ciphertext = Buffer.concat([cipher.update(secret), cipher.final()]);
    return Buffer.concat([Buffer.of(FORM), this.#current.id, nonce, cipher.getAuthTag(), ciphertext]);
  }

  /** @throws SealedSecretError */
  openFor(place: readonly string[], sealed: Uint8Array): Buffer {
    const bytes = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength);
    if (bytes.length < CIPHERTEXT_AT || bytes[0] !== FORM) throw new SealedSecretError('damaged', 'It is not a sealed secret');
    const id = bytes.subarray(1, NONCE_AT);
    const named = this.#keys.find((candidate) => candidate.id.equals(id));
    if (named === undefined) {
      throw new SealedSecretError('key', `It is sealed with the key ${id.toString('hex')}, which is not configured`);
    }
    const decipher = createDecipheriv(ALGORITHM, named.key, bytes.subarray(NONCE_AT, TAG_AT), { authTagLength: TAG_BYTES });
    decipher.setAAD(Buffer.from(JSON.stringify(place)));
    decipher.setAuthTag(bytes.subarray(TAG_AT, CIPHERTEXT_AT));
    try {
      return Buffer.concat([decipher.update(bytes.subarray(CIPHERTEXT_AT)), decipher.final()]);
    } catch {
      throw new SealedSecretError('damaged', 'It was changed since it was sealed, or was sealed for another place');
    }
  }
}

const placeOf = (taskId: string, configId: string): readonly string[] => ['push', taskId, configId];

/** The id says which key it is and tells nothing of it. */
function named(bytes: Buffer): NamedKey {
  if (bytes.length !== KEY_BYTES) throw new RangeError(`A key has ${KEY_BYTES} bytes`);
  const id = createHmac('sha256', bytes).update('chorus: id of an encryption key').digest().subarray(0, ID_BYTES);
  return { id, key: createSecretKey(bytes) };
}
