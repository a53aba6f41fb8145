import { isSecretOf, newApiKey, parseApiKey } from './api-key.js';

describe('API keys', () => {
  it('say what they are, and are never the same', () => {
    const keys = Array.from({ length: 100 }, () => newApiKey());
    for (const { id, key } of keys) expect(key).toMatch(new RegExp(`^chorus_${id}_[A-Za-z0-9_-]{43}$`));
    expect(new Set(keys.map(({ id }) => id)).size).toBe(100);
    expect(new Set(keys.map(({ key }) => key)).size).toBe(100);
  });

  it('fit their own hash and no other', () => {
    const [one, other] = [newApiKey(), newApiKey()];
    const secret = (key: string): string => parseApiKey(key)!.secret;
    expect(isSecretOf(secret(one.key), one.secretHash)).toBe(true);
    expect(isSecretOf(secret(other.key), one.secretHash)).toBe(false);
    expect(isSecretOf('', one.secretHash)).toBe(false);
  });

  it('do not hold what their hash is made of', () => {
    const { key, secretHash } = newApiKey();
    expect(Buffer.from(secretHash).toString('base64url')).not.toBe(parseApiKey(key)!.secret);
  });

  it.each(['', 'chorus_', 'chorus_0123456789abcdef_short', `chorus_0123456789ABCDEF_${'a'.repeat(43)}`, `x${newApiKey().key}`])(
    '%s is none',
    (text) => expect(parseApiKey(text)).toBeUndefined(),
  );
});
