import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { SILENT } from '#core';
import { StartError } from '#platform';
import { generateSigningKey, parseSigningKey } from '#signing';
import { loadCardSigner } from './card-signing.js';

const publicUrl = 'https://a.example/base';
const key = generateSigningKey('ES256');
const other = generateSigningKey('EdDSA');
const publicPem = createPublicKey(key).export({ format: 'pem', type: 'spki' }) as string;
const weak = generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey.export({ format: 'pem', type: 'pkcs8' }) as string;

describe('the keys that cards are signed with', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'chorus-keys-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('come from the environment or from files', async () => {
    const file = join(folder, 'previous.pem');
    await writeFile(file, other);
    const signer = await loadCardSigner({ publicUrl, cardSigningKey: key, previousCardSigningKeyFile: file } as never, SILENT);
    expect(signer?.keyIds).toEqual([(await parseSigningKey(key)).kid, (await parseSigningKey(other)).kid]);
  });

  it('are none without being set', async () => {
    expect(await loadCardSigner({ publicUrl } as never, SILENT)).toBeUndefined();
  });

  it('sign nothing without a PUBLIC_URL, and the log says so', async () => {
    const warnings: string[] = [];
    const logger = { ...SILENT, warn: (message: string) => warnings.push(message) };
    expect(await loadCardSigner({ cardSigningKey: key } as never, logger)).toBeUndefined();
    expect(warnings).toEqual(['Agent cards are not signed: there is a key, but no PUBLIC_URL to name in them']);
  });

  it.each<[string, object, string]>([
    ['text', { cardSigningKey: 'secret words' }, 'What CARD_SIGNING_KEY holds is neither a PEM key nor a JWK'],
    ['weak', { cardSigningKey: weak }, 'What CARD_SIGNING_KEY holds is an RSA key of 1024 bits: at least 2048 are needed'],
    ['public', { cardSigningKey: publicPem }, 'What CARD_SIGNING_KEY holds is a public key: signing needs the private one'],
    [
      'no file',
      { cardSigningKeyFile: '/nowhere/key.pem' },
      'CARD_SIGNING_KEY_FILE names /nowhere/key.pem, which cannot be read (ENOENT)',
    ],
    ['a folder', { cardSigningKeyFile: tmpdir() }, `CARD_SIGNING_KEY_FILE names ${tmpdir()}, which cannot be read (EISDIR)`],
    [
      'a bad previous one',
      { cardSigningKey: key, previousCardSigningKey: 'x' },
      'What CARD_SIGNING_PREVIOUS_KEY holds is neither a PEM key nor a JWK',
    ],
  ])('keep the API from starting, with one line: %s', async (_, settings, message) => {
    const refused = loadCardSigner({ publicUrl, ...settings } as never, SILENT);
    await expect(refused).rejects.toThrow(StartError);
    await expect(refused).rejects.toThrow(message);
  });
});
