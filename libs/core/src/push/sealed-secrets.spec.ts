import { randomBytes } from 'node:crypto';
import { SealedSecretError, SecretBox } from './sealed-secrets.js';

const KEY = randomBytes(32);
const OTHER = randomBytes(32);
const SECRETS = { token: 'tôken', credentials: 'abc.def' };

function reasonOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    expect(error).toBeInstanceOf(SealedSecretError);
    return (error as SealedSecretError).reason;
  }
  throw new Error('It was opened');
}

describe('SecretBox', () => {
  const box = new SecretBox({ key: KEY });

  it.each([[SECRETS], [{ token: 't' }], [{ credentials: 'c' }], [{}]])('opens what it sealed: %j', (secrets) => {
    expect(box.open('t1', 'c1', box.seal('t1', 'c1', secrets))).toEqual(secrets);
  });

  it('seals neither readably nor twice alike', () => {
    const sealed = box.seal('t1', 'c1', SECRETS);
    expect(sealed.includes('abc.def')).toBe(false);
    expect(sealed.equals(box.seal('t1', 'c1', SECRETS))).toBe(false);
  });

  it.each([
    ['t2', 'c1'],
    ['t1', 'c2'],
    // Not the same words with another comma between them.
    ['t1","c1', ''],
  ])('does not open in another place: %s %s', (taskId, configId) => {
    const sealed = box.seal('t1', 'c1', SECRETS);
    expect(reasonOf(() => box.open(taskId, configId, sealed))).toBe('damaged');
  });

  it('does not open what was changed, wherever that is', () => {
    const sealed = box.seal('t1', 'c1', SECRETS);
    for (let at = 0; at < sealed.length; at++) {
      const changed = Buffer.from(sealed);
      changed[at] = (changed[at] as number) ^ 1;
      expect(reasonOf(() => box.open('t1', 'c1', changed))).toBe(at >= 1 && at <= 8 ? 'key' : 'damaged');
    }
    expect(reasonOf(() => box.open('t1', 'c1', sealed.subarray(0, 36)))).toBe('damaged');
    expect(reasonOf(() => box.open('t1', 'c1', Buffer.alloc(0)))).toBe('damaged');
  });

  it('opens with the previous key and seals with the new one', () => {
    const rotated = new SecretBox({ key: OTHER, previous: KEY });
    expect(rotated.open('t1', 'c1', box.seal('t1', 'c1', SECRETS))).toEqual(SECRETS);
    const sealed = rotated.seal('t1', 'c1', SECRETS);
    expect(new SecretBox({ key: OTHER }).open('t1', 'c1', sealed)).toEqual(SECRETS);
    expect(reasonOf(() => box.open('t1', 'c1', sealed))).toBe('key');
  });

  it('says which key is missing, and nothing of the secret or a key', () => {
    const sealed = box.seal('t1', 'c1', SECRETS);
    expect(() => new SecretBox({ key: OTHER }).open('t1', 'c1', sealed)).toThrow(
      /^It is sealed with the key [0-9a-f]{16}, which is not configured$/,
    );
  });

  it('takes no key of another length', () => {
    expect(() => new SecretBox({ key: randomBytes(16) })).toThrow(RangeError);
  });
});
