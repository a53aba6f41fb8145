import { createPublicKey, verify, type KeyObject } from 'node:crypto';
import type { Target } from './target.js';
import { exchange } from './wire/http.js';
import { isObject, listOf, member, parseJson, show, type Json, type JsonObject } from './wire/json.js';
import { MESSAGES, NEEDS_ONE, type Field } from './wire/protobuf/schema.js';
import { WireFault } from './wire/wire-fault.js';

export interface Verdict {
  readonly verdict: 'right' | 'wrong' | 'no key';
  readonly reason: string;
}

/** The `optional` fields of the card's messages: their default values are said, when they are said at all. */
const OPTIONAL = new Set(['documentationUrl', 'iconUrl', 'streaming', 'pushNotifications', 'extendedAgentCard']);
const ALGORITHMS: Readonly<Record<string, { digest: string | null; type: string; curve?: string }>> = {
  ES256: { digest: 'sha256', type: 'ec', curve: 'prime256v1' },
  ES384: { digest: 'sha384', type: 'ec', curve: 'secp384r1' },
  RS256: { digest: 'sha256', type: 'rsa' },
  EdDSA: { digest: null, type: 'ed25519' },
};

/** Whether one signature of the card holds (section 8.4.3). Keys are fetched from `--jwks`, or from a `jku` on the card's own origin. */
export async function verifyCard(target: Target, signature: Json): Promise<Verdict> {
  const [protectedPart, value] = [member(signature, 'protected'), member(signature, 'signature')];
  if (typeof protectedPart !== 'string' || typeof value !== 'string') return wrong('a signature without protected or signature');
  let header: Json;
  try {
    header = parseJson(Buffer.from(protectedPart, 'base64url').toString('utf8'), 8);
  } catch (error) {
    if (error instanceof WireFault) return wrong(`the protected header is ${error.message}`);
    throw error;
  }
  const [alg, kid] = [String(member(header, 'alg')), member(header, 'kid')];
  const algorithm = Object.hasOwn(ALGORITHMS, alg) ? ALGORITHMS[alg] : undefined;
  if (!algorithm) return wrong(`the algorithm ${show(alg)} is none for a public card`);
  const found = await findKey(target, header, kid);
  if (!('key' in found)) return found;
  const { key } = found;
  if (key.asymmetricKeyType !== algorithm.type || (algorithm.curve && key.asymmetricKeyDetails?.namedCurve !== algorithm.curve))
    return wrong(`the key ${show(kid)} is not one for ${alg}`);
  const holds = (payload: string): boolean =>
    verify(
      algorithm.digest,
      Buffer.from(`${protectedPart}.${Buffer.from(payload).toString('base64url')}`),
      { key, dsaEncoding: 'ieee-p1363' },
      Buffer.from(value, 'base64url'),
    );
  return holds(canonicalCard(target.card))
    ? { verdict: 'right', reason: '' }
    : wrong(`the signature of key ${show(kid)} does not hold`);
}

const wrong = (reason: string): Verdict => ({ verdict: 'wrong', reason });

async function findKey(
  { cardUrl, options, limits }: Target,
  header: Json,
  kid: Json | undefined,
): Promise<{ key: KeyObject } | Verdict> {
  const jku = member(header, 'jku');
  const own = typeof jku === 'string' && URL.canParse(jku) && new URL(jku).origin === new URL(cardUrl).origin ? jku : undefined;
  const url = options.jwksUrl ?? own;
  if (url === undefined) return { verdict: 'no key', reason: `no key at the card's own origin (jku is ${show(jku)})` };
  const reply = await exchange({ method: 'GET', url, headers: { accept: 'application/json' } }, limits);
  if (reply.status !== 200) return wrong(`${url} answers ${reply.status}`);
  const found = listOf(member(reply.json(), 'keys')).find((one) => member(one, 'kid') === kid);
  if (!isObject(found)) return wrong(`no key ${show(kid)} at ${url}`);
  try {
    return { key: createPublicKey({ key: found as never, format: 'jwk' }) };
  } catch {
    return wrong(`the key ${show(kid)} at ${url} cannot be read`);
  }
}

/** The text that is signed (section 8.4.1): without signatures, default values as their fields demand, then RFC 8785. */
export function canonicalCard(card: JsonObject): string {
  const { signatures: _, ...signed } = card;
  return sorted(stripped('AgentCard', signed));
}

function stripped(type: string, value: Json): Json {
  const fields = MESSAGES[type];
  if (!fields || !isObject(value)) return value;
  const kept = Object.entries(value).flatMap(([key, item]): [string, Json][] => {
    const field = fields.find(({ name }) => name === key);
    if (item === undefined || item === null) return [];
    if (!field) return [[key, item]];
    const inner = innerOf(field, item);
    return isDefault(type, field, inner) ? [] : [[key, inner]];
  });
  return Object.fromEntries(kept);
}

function innerOf({ type, repeated, map }: Field, value: Json): Json {
  if (repeated) return listOf(value).map((item) => stripped(type, item));
  if (map && isObject(value))
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, stripped(type, item as Json)]));
  return stripped(type, value);
}

function isDefault(type: string, { name, required, repeated, map, oneOf }: Field, value: Json): boolean {
  if (required || OPTIONAL.has(name) || (oneOf !== undefined && NEEDS_ONE[type] === oneOf)) return false;
  if (repeated) return Array.isArray(value) && value.length === 0;
  if (map) return isObject(value) && Object.keys(value).length === 0;
  return value === '' || value === false || value === 0;
}

/** RFC 8785: keys by their UTF-16 units; numbers and strings as ECMAScript writes them. */
function sorted(value: Json | undefined): string {
  if (Array.isArray(value)) return `[${value.map(sorted).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value ?? null);
  const entries = Object.keys(value).sort();
  return `{${entries.map((key) => `${JSON.stringify(key)}:${sorted(value[key])}`).join(',')}}`;
}
