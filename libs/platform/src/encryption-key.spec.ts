import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureEncryptionKey, readEncryptionKey } from './encryption-key.js';
import { StartError } from './start-error.js';

describe('the encryption key of a data folder', () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'chorus-key-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('is made once, for its owner alone, and is the same from then on', () => {
    expect(readEncryptionKey(folder)).toBeUndefined();
    const key = ensureEncryptionKey(folder);
    expect(key).toHaveLength(32);
    expect([ensureEncryptionKey(folder), readEncryptionKey(folder)]).toEqual([key, key]);
    expect(readdirSync(folder)).toEqual(['encryption.key']);
    expect(statSync(join(folder, 'encryption.key')).mode & 0o777).toBe(0o600);
  });

  it('is no other where it is damaged: what it encrypted would be lost', () => {
    writeFileSync(join(folder, 'encryption.key'), 'abc');
    expect(() => ensureEncryptionKey(folder)).toThrow(StartError);
    expect(() => readEncryptionKey(folder)).toThrow(/encryption\.key holds no encryption key/);
  });
});
