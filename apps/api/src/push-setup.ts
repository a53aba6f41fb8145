import { SecretBox, type PushConfigStore, type PushSetup, type ReceiverRules } from '#core';
import { OutboundPolicy, OutboundRefusedError } from '#outbound';
import type { Config } from '#platform';

/**
 * What push notifications stand on; undefined without a key for the receivers' secrets: nothing is offered then, and no worker delivers.
 * Throws AllowEntryError, whether they are offered or not.
 */
export function pushSetupOf(
  {
    outboundAllow,
    maxPushConfigs: most,
    encryptionKey: key,
    previousEncryptionKey: previous,
  }: Pick<Config, 'outboundAllow' | 'maxPushConfigs' | 'encryptionKey' | 'previousEncryptionKey'>,
  store: PushConfigStore,
): PushSetup | undefined {
  const receivers = receiverRules(new OutboundPolicy(outboundAllow));
  if (key === undefined) return undefined;
  return { store, most, receivers, box: new SecretBox({ key, ...(previous === undefined ? {} : { previous }) }) };
}

/** What can be told of a URL without DNS; the addresses of a name are checked when it is dialled. */
const receiverRules = (policy: OutboundPolicy): ReceiverRules => ({
  inspect(url) {
    try {
      return { origin: policy.inspect(url).origin };
    } catch (error) {
      if (error instanceof OutboundRefusedError) return { refused: error.message };
      throw error;
    }
  },
});
