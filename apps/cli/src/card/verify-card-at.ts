import { StartError } from '#platform';
import { parseUrl } from '#protocol';
import { fetchJson, verifyAgentCard, type CardVerification, type KeySet, type SignatureResult } from '#signing';

const CARD_PATH = '/.well-known/agent-card.json';

export interface VerifiedCard {
  readonly verified: boolean;
  /** For people: what was found, signature by signature. */
  readonly lines: readonly string[];
}

/**
 * Fetches an agent's card, in its 1.0 form, and verifies it: with the keys at `jwksUrl`, else with those that it names on its
 * own origin. @throws StartError when the card or those keys cannot be read
 */
export async function verifyCardAt(url: string, jwksUrl?: string): Promise<VerifiedCard> {
  const cardUrl = cardUrlOf(url);
  const card = await read('the card', cardUrl, { 'a2a-version': '1.0' });
  const options =
    jwksUrl === undefined
      ? { keySets: { cardUrl, fetch: (keySetUrl: string) => fetchJson(keySetUrl) } }
      : { keys: keySetOf(jwksUrl, await read('the keys', jwksUrl)) };
  const verification = await verifyAgentCard(card, options);
  return { verified: verification.verified, lines: linesOf(cardUrl, verification) };
}

function cardUrlOf(url: string): string {
  if (!/^https?:\/\//.test(url) || parseUrl(url) === undefined)
    throw new StartError(`${url} is no URL that starts with http:// or https://`);
  return /\.json(\?|$)/.test(url) ? url : url.replace(/\/*$/, CARD_PATH);
}

async function read(what: string, url: string, headers?: Readonly<Record<string, string>>): Promise<unknown> {
  try {
    return await fetchJson(url, headers);
  } catch (error) {
    const { message, cause } = error as Error;
    throw new StartError(`${url} cannot be read, where ${what} should be: ${cause instanceof Error ? cause.message : message}`);
  }
}

function keySetOf(url: string, value: unknown): KeySet {
  const keys = (value as Partial<KeySet> | null)?.keys;
  if (!Array.isArray(keys)) throw new StartError(`${url} has no key set: an object with keys`);
  return { keys };
}

function linesOf(cardUrl: string, { verified, signatures, uncovered }: CardVerification): string[] {
  const verdict = signatures.length === 0 ? 'is not signed' : verified ? 'is signed' : 'has no valid signature';
  return [
    `${cardUrl} ${verdict}`,
    ...signatures.map((signature, index) => `  ${index + 1}. ${describe(signature)}`),
    ...(uncovered.length > 0 ? [`  not covered by any signature: ${uncovered.join(', ')}`] : []),
  ];
}

function describe({ valid, kid, algorithm, keySetUrl, fault, reason }: SignatureResult): string {
  const who = [algorithm, kid && `key ${kid}`, keySetUrl && `of ${keySetUrl}`].filter(Boolean).join(' ');
  return valid ? `valid: ${who}` : `${fault}: ${reason}${who ? ` (${who})` : ''}`;
}
