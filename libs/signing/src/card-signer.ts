import { FlattenedSign } from 'jose';
import type { AgentCard } from '#protocol';
import type { KeySet } from './algorithms.js';
import { canonicalCard, emptyValues } from './canonical-card.js';
import { SigningKeyError, type SigningKey } from './signing-key.js';

export type CardSignature = NonNullable<AgentCard['signatures']>[number];

/** A card whose signature the official SDKs would find wrong. The message names what is empty. */
export class UnsignableCardError extends Error {
  override readonly name = 'UnsignableCardError';
}

export interface CardSignerOptions {
  readonly current: SigningKey;
  /** Stays in the key set while clients still know it; signs too when its private half is there. */
  readonly previous?: SigningKey;
  /** Where clients find the key set. */
  readonly keySetUrl: string;
}

/** Signs agent cards (section 8.4), and publishes what they are verified with. */
export class CardSigner {
  readonly keySet: KeySet;
  /** The ids of the keys that sign, the current one first. */
  readonly keyIds: readonly string[];
  readonly #keys: readonly SigningKey[];

  /** @throws SigningKeyError when the current key has no private half, or both keys are one. */
  constructor(private readonly options: CardSignerOptions) {
    const { current, previous } = options;
    if (!current.privateKey) throw new SigningKeyError('is a public key: signing needs the private one');
    if (current.kid === previous?.kid) throw new SigningKeyError(`has the id ${current.kid}, and so has the previous key`);
    const published = previous ? [current, previous] : [current];
    this.keySet = { keys: published.map(({ publicKey }) => publicKey) };
    this.#keys = published.filter(({ privateKey }) => privateKey !== undefined);
    this.keyIds = this.#keys.map(({ kid }) => kid);
  }

  /** Are two signatures of one card the same bytes? Those of ECDSA are not. */
  get isDeterministic(): boolean {
    return this.#keys.every(({ algorithm }) => algorithm !== 'ES256');
  }

  /** One signature by each key. Rejects with UnsignableCardError, and with CardShapeError for what is no card. */
  async sign(card: AgentCard): Promise<CardSignature[]> {
    const empty = emptyValues(card);
    if (empty.length > 0) {
      throw new UnsignableCardError(`The card cannot be signed: ${empty.join(', ')} must not be empty, or be left out`);
    }
    const payload = Buffer.from(canonicalCard(card));
    return Promise.all(this.#keys.map((key) => this.#signature(payload, key)));
  }

  async #signature(payload: Uint8Array, { algorithm, kid, privateKey }: SigningKey): Promise<CardSignature> {
    const header = { alg: algorithm, typ: 'JOSE', kid, jku: this.options.keySetUrl };
    const jws = await new FlattenedSign(payload).setProtectedHeader(header).sign(privateKey as NonNullable<typeof privateKey>);
    return { protected: jws.protected as string, signature: jws.signature };
  }
}
