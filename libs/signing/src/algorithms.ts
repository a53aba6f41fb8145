/** What agent cards are signed with here, and the only algorithms that a signature is accepted of. */
export const SIGNING_ALGORITHMS = ['ES256', 'RS256', 'EdDSA'] as const;

export type SigningAlgorithm = (typeof SIGNING_ALGORITHMS)[number];

/** RFC 7518, 3.3. */
export const SHORTEST_RSA_BITS = 2048;

/** A public key as JSON (RFC 7517), with those of its members that matter here. */
export interface PublicKey {
  readonly kty?: string;
  readonly crv?: string;
  readonly kid?: string;
  readonly alg?: string;
  readonly use?: string;
  readonly n?: string;
  readonly e?: string;
  readonly x?: string;
  readonly y?: string;
}

export interface KeySet {
  readonly keys: readonly PublicKey[];
}

/**
 * The one algorithm that a key is for, by its type: a header never chooses among several, which is how a public key comes to be
 * taken for a shared secret. Undefined for a key of another type, and for one that is not for signatures.
 */
export function algorithmOf({ kty, crv, alg, use }: PublicKey): SigningAlgorithm | undefined {
  if (use !== undefined && use !== 'sig') return undefined;
  const byType = typeOf(kty, crv);
  // RFC 9864 has a second name for EdDSA with this curve.
  const named = alg === 'Ed25519' ? 'EdDSA' : alg;
  return named === undefined || named === byType ? byType : undefined;
}

function typeOf(kty: string | undefined, crv: string | undefined): SigningAlgorithm | undefined {
  if (kty === 'EC' && crv === 'P-256') return 'ES256';
  if (kty === 'RSA') return 'RS256';
  return kty === 'OKP' && crv === 'Ed25519' ? 'EdDSA' : undefined;
}
