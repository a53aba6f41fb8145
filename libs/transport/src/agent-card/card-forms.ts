import type { AnnouncedAgent } from '#core';
import type { AgentCard, AgentInterface } from '#protocol';
import { capabilitiesOf, extensionsOf, type Host } from '../host.js';
import { interfacesOf, type Reach } from './interfaces.js';
import { legacyProtoSecurityOf, legacySecurityOf, securityOf, securityOfBoth, type LegacySecurity } from './security.js';

/**
 * How a card is written: as 1.0 has it, as 0.3 has it, or so that clients of either read it. The last is possible since no
 * field means one thing to the one and another to the other.
 */
export type CardForm = '1.0' | '0.3' | 'both';

/** The fields of a 0.3 card that 1.0 does not have, besides those of its security. */
interface LegacyFields {
  readonly protocolVersion: string;
  readonly url: string;
  readonly preferredTransport: string;
  readonly additionalInterfaces: readonly { readonly url: string; readonly transport: string }[];
  readonly supportsAuthenticatedExtendedCard: boolean;
}

type LegacyBase = Omit<AgentCard, 'supportedInterfaces' | 'securitySchemes' | 'securityRequirements' | 'signatures'> &
  LegacyFields;
type LegacyCard = LegacyBase & LegacySecurity;

/** Original 0.3 clients compare with the whole number. */
const LEGACY_VERSION = '0.3.0';

/** The 1.0 card of an agent as clients that reach it so see it, with the security that this host enforces. */
export function agentCardOf(
  host: Pick<Host, 'authentication' | 'pushNotifications'>,
  agent: AnnouncedAgent,
  reach: Reach,
): AgentCard {
  const { id, card } = agent;
  const { name, description, capabilities, ...rest } = card;
  const extensions = [...(capabilities?.extensions ?? []), ...extensionsOf(host)];
  return {
    name,
    description,
    supportedInterfaces: interfacesOf(id, reach),
    ...rest,
    capabilities: { ...capabilitiesOf(host, agent), ...(extensions.length > 0 ? { extensions } : {}) },
    ...securityOf(host.authentication?.schemes),
  };
}

/** The same for clients of 0.3. @throws Error when none of its interfaces is one of 0.3 */
export const legacyCardOf = (card: AgentCard): LegacyCard => ({ ...legacyBaseOf(card), ...legacySecurityOf(card) });

/** The same as the message of the package `a2a.v1`, whose schemes are written as those of 1.0. @throws Error */
export const legacyProtoCardOf = (card: AgentCard): object => ({ ...legacyBaseOf(card), ...legacyProtoSecurityOf(card) });

/** Without the signatures: what they cover is the 1.0 card. */
function legacyBaseOf(card: AgentCard): LegacyBase {
  const { supportedInterfaces: _, securitySchemes: _schemes, securityRequirements: _any, signatures: _of1, ...rest } = card;
  const { extendedAgentCard: _extended, ...capabilities } = card.capabilities;
  return { ...rest, ...legacyFieldsOf(card), capabilities };
}

/** A card that is one of 1.0 and one of 0.3. */
export const cardOfBoth = (card: AgentCard): AgentCard & LegacyFields => ({
  ...card,
  ...legacyFieldsOf(card),
  ...securityOfBoth(card),
});

function legacyFieldsOf({ supportedInterfaces, capabilities }: AgentCard): LegacyFields {
  const [preferred, ...others] = supportedInterfaces.filter(({ protocolVersion }) => protocolVersion === '0.3');
  if (!preferred) throw new Error('a card without a 0.3 interface has no 0.3 form');
  return {
    protocolVersion: LEGACY_VERSION,
    url: preferred.url,
    preferredTransport: preferred.protocolBinding,
    // With the preferred one: a client may look for its transport here alone.
    additionalInterfaces: [preferred, ...others].map(legacyInterface),
    supportsAuthenticatedExtendedCard: capabilities.extendedAgentCard ?? false,
  };
}

const legacyInterface = ({ url, protocolBinding }: AgentInterface) => ({ url, transport: protocolBinding });
