import { readFile } from 'node:fs/promises';
import type { Logger } from '#core';
import { StartError, type Config } from '#platform';
import { CardSigner, SigningKeyError, parseSigningKey, type SigningKey } from '#signing';

type SigningConfig = Pick<
  Config,
  'publicUrl' | 'cardSigningKey' | 'cardSigningKeyFile' | 'previousCardSigningKey' | 'previousCardSigningKeyFile'
>;

/**
 * The signer of agent cards; undefined without a key, and without PUBLIC_URL, since a signature must not vouch for addresses
 * that a request made up. Rejects with StartError for a key that cannot be read, or that cards cannot be signed with.
 */
export async function loadCardSigner(config: SigningConfig, logger: Logger): Promise<CardSigner | undefined> {
  const { publicUrl } = config;
  const current = await loadKey('CARD_SIGNING_KEY', config.cardSigningKey, config.cardSigningKeyFile);
  const previous = await loadKey('CARD_SIGNING_PREVIOUS_KEY', config.previousCardSigningKey, config.previousCardSigningKeyFile);
  if (!current) return undefined;
  const keySetUrl = `${publicUrl}/.well-known/jwks.json`;
  const signer = signerOf(current, previous, keySetUrl);
  if (publicUrl !== undefined) return signer;
  logger.warn('Agent cards are not signed: there is a key, but no PUBLIC_URL to name in them');
  return undefined;
}

function signerOf(current: LoadedKey, previous: LoadedKey | undefined, keySetUrl: string): CardSigner {
  try {
    return new CardSigner({ current: current.key, ...(previous ? { previous: previous.key } : {}), keySetUrl });
  } catch (error) {
    throw namedAfter(current.variable, error);
  }
}

interface LoadedKey {
  readonly variable: string;
  readonly key: SigningKey;
}

async function loadKey(name: string, text: string | undefined, file: string | undefined): Promise<LoadedKey | undefined> {
  if (file === undefined) {
    return text === undefined ? undefined : { variable: name, key: await keyOf(name, text) };
  }
  const variable = `${name}_FILE`;
  return { variable, key: await keyOf(variable, await contentOf(variable, file)) };
}

async function contentOf(variable: string, file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new StartError(`${variable} names ${file}, which cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}

const keyOf = (variable: string, text: string): Promise<SigningKey> =>
  parseSigningKey(text).catch((error: unknown) => {
    throw namedAfter(variable, error);
  });

/** Who starts the process knows a key by its variable. */
const namedAfter = (variable: string, error: unknown): unknown =>
  error instanceof SigningKeyError ? new StartError(`What ${variable} holds ${error.message}`) : error;
