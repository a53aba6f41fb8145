import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StartError } from './start-error.js';

const fileOf = (dataDir: string): string => join(dataDir, 'encryption.key');

/**
 * The encryption key that `npm start` made in its data folder; undefined when it made none.
 * @throws StartError for a file that holds no key
 */
export function readEncryptionKey(dataDir: string): Buffer | undefined {
  const file = fileOf(dataDir);
  if (!existsSync(file)) return undefined;
  const text = readFileSync(file, 'utf8').trim();
  if (/^[0-9a-f]{64}$/.test(text)) return Buffer.from(text, 'hex');
  // A new one would make everything unreadable that is encrypted with the one that was here.
  throw new StartError(`${file} holds no encryption key: restore it, or delete it if nothing is encrypted with it`);
}

/** The same, made when there is none: only its owner may read it. */
export function ensureEncryptionKey(dataDir: string): Buffer {
  const known = readEncryptionKey(dataDir);
  if (known) return known;
  const key = randomBytes(32);
  // Whole or not at all: after a crash in between, half a key would stop every start.
  const draft = `${fileOf(dataDir)}.${process.pid}`;
  writeFileSync(draft, `${key.toString('hex')}\n`, { mode: 0o600, flush: true });
  renameSync(draft, fileOf(dataDir));
  return key;
}
