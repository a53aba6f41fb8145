import { AllowEntryError, OutboundPolicy } from '#outbound';
import { StartError, type Config } from '#platform';

/** What this process may reach by URLs that others wrote. Throws StartError for an allow-list that cannot be read. */
export function outboundPolicy({ outboundAllow }: Pick<Config, 'outboundAllow'>): OutboundPolicy {
  try {
    return new OutboundPolicy(outboundAllow);
  } catch (error) {
    throw error instanceof AllowEntryError ? new StartError(`CHORUS_OUTBOUND_ALLOW: ${error.message}`) : error;
  }
}
