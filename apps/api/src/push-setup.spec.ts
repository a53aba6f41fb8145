import { randomBytes } from 'node:crypto';
import { AllowEntryError } from '#outbound';
import { InMemoryDatabase, InMemoryPushConfigStore } from '#testing';
import { REFUSED_URLS } from '../../../libs/outbound/src/refused-urls.spec-support.js';
import { pushSetupOf } from './push-setup.js';

describe('what push notifications stand on', () => {
  const store = new InMemoryPushConfigStore(new InMemoryDatabase());
  const base = { encryptionKey: randomBytes(32), previousEncryptionKey: undefined, outboundAllow: undefined, maxPushConfigs: 3 };

  it('is nothing without a key', () => {
    expect(pushSetupOf({ ...base, encryptionKey: undefined }, store)).toBeUndefined();
    expect(pushSetupOf(base, store)).toMatchObject({ store, most: 3 });
  });

  it('is not put together with an allow-list that cannot be read, key or not', () => {
    for (const encryptionKey of [base.encryptionKey, undefined])
      expect(() => pushSetupOf({ ...base, encryptionKey, outboundAllow: '10.0.0.0/99' }, store)).toThrow(AllowEntryError);
  });

  it('knows the receiver of a URL, and refuses those that may not be called in words for whoever wrote it', () => {
    const receivers = pushSetupOf(base, store)?.receivers;
    expect(receivers?.inspect('https://Hooks.example.com./a?b')).toEqual({ origin: 'https://hooks.example.com' });
    for (const [url] of REFUSED_URLS)
      expect([url, receivers?.inspect(url)]).toEqual([url, { refused: expect.stringMatching(/^The URL is not allowed: /) }]);
  });
});
