import { parseUrl } from '#protocol';
import { calculateJwkThumbprint, decodeProtectedHeader, flattenedVerify, importJWK, type JWK } from 'jose';
import { algorithmOf, SIGNING_ALGORITHMS, type KeySet, type PublicKey, type SigningAlgorithm } from './algorithms.js';
import { canonicalCard, CardShapeError, emptyValues, strippedCard, uncoveredFields } from './canonical-card.js';

export interface VerifyOptions {
  /** Keys that the caller trusts whatever the card says. */
  readonly keys?: KeySet;
  /** Without it no key is fetched. */
  readonly keySets?: KeySetPolicy;
}

/** Which of the key sets that signatures name (`jku`) are fetched. Any other is not asked for at all. */
export interface KeySetPolicy {
  /** Where the card came from: key sets of the same origin are fetched. They prove that the card is this origin's, no more. */
  readonly cardUrl?: string;
  /** URLs of further key sets that may be fetched. */
  readonly allowed?: readonly string[];
  /** Resolves with the JSON at a URL. */
  readonly fetch: (url: string) => Promise<unknown>;
}

export type SignatureFault =
  | 'malformed'
  | 'algorithm-not-allowed'
  | 'duplicate'
  | 'unknown-key'
  | 'key-set-refused'
  | 'key-set-unreachable'
  | 'unusable-key'
  /** The signature is right for the card without its empty values, which is what the official SDKs sign. */
  | 'empty-values-dropped'
  | 'mismatch'
  | 'not-examined';

export interface SignatureResult {
  readonly valid: boolean;
  readonly fault?: SignatureFault;
  /** For people: why it is not valid. */
  readonly reason?: string;
  readonly kid?: string;
  readonly algorithm?: string;
  readonly keySetUrl?: string;
}

export interface CardVerification {
  /** Is at least one signature valid? */
  readonly verified: boolean;
  /** One for each entry of `card.signatures`, in its order. */
  readonly signatures: readonly SignatureResult[];
  /** Fields of the card that no signature covers, since the specification has none of that name: not to be relied on. */
  readonly uncovered: readonly string[];
}

/** Cards come from strangers: no more signatures than this are worth the work. */
const MOST_SIGNATURES = 16;
const BASE64URL = /^[A-Za-z0-9_-]+$/;

/**
 * Verifies the signatures of an agent card as it came, by section 8.4.3. Never rejects on account of the card: what is wrong
 * with it is in the result. A card without signatures is not verified.
 */
export async function verifyAgentCard(card: unknown, options: VerifyOptions): Promise<CardVerification> {
  const uncovered = uncoveredFields(card);
  const entries = (card as { signatures?: unknown } | null)?.signatures;
  if (!Array.isArray(entries)) return { verified: false, signatures: [], uncovered };
  const verifier = new SignatureVerifier(card, options);
  const seen = new Set<string>();
  const signatures: SignatureResult[] = [];
  for (const [index, entry] of entries.entries()) {
    const written = JSON.stringify(entry);
    signatures.push(
      index >= MOST_SIGNATURES
        ? fault('not-examined', `only the first ${MOST_SIGNATURES} signatures are examined`)
        : seen.has(written)
          ? fault('duplicate', 'is the same as one before it')
          : await verifier.verify(entry),
    );
    seen.add(written);
  }
  return { verified: signatures.some(({ valid }) => valid), signatures, uncovered };
}

interface Header {
  readonly kid: string;
  readonly algorithm: SigningAlgorithm;
  readonly keySetUrl?: string;
}

interface Signature {
  readonly protected: string;
  readonly signature: string;
}

class SignatureVerifier {
  readonly #keySets = new Map<string, Promise<KeySet>>();

  constructor(
    private readonly card: unknown,
    private readonly options: VerifyOptions,
  ) {}

  async verify(entry: unknown): Promise<SignatureResult> {
    const about: { -readonly [K in keyof Header]?: string } = {};
    try {
      const signature = signatureOf(entry);
      const header = headerOf(signature, about);
      const keys = await this.#keysFor(header);
      await this.#check(signature, header, keys);
      return { valid: true, ...about };
    } catch (error) {
      if (error instanceof Refusal) return { ...fault(error.fault, error.message), ...about };
      if (error instanceof CardShapeError) return { ...fault('malformed', error.message), ...about };
      throw error;
    }
  }

  async #keysFor({ kid, keySetUrl }: Header): Promise<readonly PublicKey[]> {
    const trusted = await named(kid, this.options.keys ?? { keys: [] });
    if (trusted.length > 0) return trusted;
    const fetched = keySetUrl === undefined ? [] : await named(kid, await this.#keySet(keySetUrl));
    if (fetched.length > 0) return fetched;
    throw new Refusal('unknown-key', `there is no key with the id ${kid}`);
  }

  #keySet(url: string): Promise<KeySet> {
    const { keySets: policy } = this.options;
    if (!policy || !isAllowed(url, policy)) {
      throw new Refusal('key-set-refused', `its key is not known, and keys are not fetched from ${url}`);
    }
    let keySet = this.#keySets.get(url);
    if (!keySet) {
      keySet = policy.fetch(url).then(keySetOf, (error: unknown) => {
        throw new Refusal('key-set-unreachable', `the keys at ${url} cannot be read: ${(error as Error).message}`);
      });
      this.#keySets.set(url, keySet);
    }
    return keySet;
  }

  async #check(signature: Signature, { algorithm }: Header, keys: readonly PublicKey[]): Promise<void> {
    const fitting = keys.filter((key) => algorithmOf(key) === algorithm);
    if (fitting.length === 0) throw new Refusal('algorithm-not-allowed', `its key is not one for ${algorithm}`);
    for (const key of fitting) if (await isSignedBy(key, algorithm, signature, canonicalCard(this.card))) return;
    if (emptyValues(this.card).length > 0) {
      for (const key of fitting) {
        if (!(await isSignedBy(key, algorithm, signature, strippedCard(this.card)))) continue;
        throw new Refusal('empty-values-dropped', 'it is of the card without its empty values, REQUIRED ones too');
      }
    }
    throw new Refusal('mismatch', 'it is not of this card by this key');
  }
}

class Refusal extends Error {
  constructor(
    readonly fault: SignatureFault,
    reason: string,
  ) {
    super(reason);
  }
}

const fault = (name: SignatureFault, reason: string): SignatureResult => ({ valid: false, fault: name, reason });

function signatureOf(entry: unknown): Signature {
  const { protected: header, signature } = (entry ?? {}) as Partial<Record<keyof Signature, unknown>>;
  for (const [name, value] of [
    ['protected', header],
    ['signature', signature],
  ] as const) {
    if (typeof value !== 'string' || !BASE64URL.test(value)) throw new Refusal('malformed', `its ${name} is not base64url`);
  }
  return { protected: header as string, signature: signature as string };
}

/** Only what is signed counts: the unprotected header could have been written by anyone. Tells `about` what it has read. */
function headerOf(signature: Signature, about: { kid?: string; algorithm?: string; keySetUrl?: string }): Header {
  let header: Record<string, unknown>;
  try {
    header = decodeProtectedHeader(signature) as Record<string, unknown>;
  } catch {
    throw new Refusal('malformed', 'its protected header is not a JSON object');
  }
  const { alg, kid, jku, crit } = header;
  if (typeof kid === 'string') about.kid = kid;
  if (typeof alg === 'string') about.algorithm = alg;
  if (typeof jku === 'string') about.keySetUrl = jku;
  if (!(SIGNING_ALGORITHMS as readonly unknown[]).includes(alg)) {
    throw new Refusal('algorithm-not-allowed', `${String(alg)} is not one of ${SIGNING_ALGORITHMS.join(', ')}`);
  }
  if (typeof kid !== 'string' || kid === '') throw new Refusal('malformed', 'its protected header has no kid');
  if (jku !== undefined && typeof jku !== 'string') throw new Refusal('malformed', 'its jku is no URL');
  if (crit !== undefined) throw new Refusal('malformed', 'it depends on extensions of the header (crit), none of which is known');
  return { kid, algorithm: alg as SigningAlgorithm, ...(jku === undefined ? {} : { keySetUrl: jku }) };
}

/** By `kid`, or by thumbprint for a key that has none. */
async function named(kid: string, { keys }: KeySet): Promise<PublicKey[]> {
  const found: PublicKey[] = [];
  for (const key of keys) if ((key.kid ?? (await thumbprint(key))) === kid) found.push(key);
  return found;
}

/** Undefined for a key that has none because it is not whole. */
const thumbprint = (key: PublicKey): Promise<string | undefined> => calculateJwkThumbprint(key as JWK).catch(() => undefined);

function isAllowed(url: string, { cardUrl, allowed = [] }: KeySetPolicy): boolean {
  if (allowed.includes(url)) return true;
  const parsed = parseUrl(url);
  if (cardUrl === undefined || parsed === undefined) return false;
  return parsed.origin === parseUrl(cardUrl)?.origin && /^https?:$/.test(parsed.protocol);
}

function keySetOf(value: unknown): KeySet {
  const keys = (value as Partial<KeySet> | null)?.keys;
  if (!Array.isArray(keys)) throw new Refusal('key-set-unreachable', 'what stands at its jku is no key set');
  return { keys: keys.filter((key) => typeof key === 'object' && key !== null) as PublicKey[] };
}

async function isSignedBy(key: PublicKey, algorithm: SigningAlgorithm, signature: Signature, text: string): Promise<boolean> {
  let imported;
  try {
    imported = await importJWK(publicHalf(key) as JWK, algorithm);
  } catch {
    throw new Refusal('unusable-key', 'its key cannot be read');
  }
  try {
    await flattenedVerify({ ...signature, payload: Buffer.from(text).toString('base64url') }, imported, {
      algorithms: [algorithm],
    });
    return true;
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ERR_JWS_SIGNATURE_VERIFICATION_FAILED') return false;
    throw new Refusal('unusable-key', `its key cannot be used: ${(error as Error).message}`);
  }
}

/** A key set may hold by mistake what is secret; it is not needed here. */
const publicHalf = ({ kty, crv, n, e, x, y }: PublicKey): PublicKey =>
  Object.fromEntries(Object.entries({ kty, crv, n, e, x, y }).filter(([, value]) => value !== undefined));
