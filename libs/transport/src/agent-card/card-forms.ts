import type { AnnouncedAgent } from '#core';
import type { AgentCard, AgentInterface, SecurityScheme } from '#protocol';
import { HOST_CAPABILITIES } from '../host.js';
import { interfacesOf, type Reach } from './interfaces.js';
import { legacySecurityOf, securityOf, securityOfBoth, type LegacySecurity } from './security.js';

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

type LegacyCard = Omit<AgentCard, 'supportedInterfaces' | 'securitySchemes' | 'securityRequirements'> &
  LegacyFields &
  LegacySecurity;

/** Original 0.3 clients compare with the whole number. */
const LEGACY_VERSION = '0.3.0';

/** The 1.0 card of an agent as clients that reach it so see it; `schemes` are those that this host enforces. */
export function agentCardOf(
  { id, card }: AnnouncedAgent,
  reach: Reach,
  schemes?: Readonly<Record<string, SecurityScheme>>,
): AgentCard {
  const { name, description, capabilities, ...rest } = card;
  const extensions = capabilities?.extensions;
  return {
    name,
    description,
    supportedInterfaces: interfacesOf(id, reach),
    ...rest,
    capabilities: { ...HOST_CAPABILITIES, ...(extensions && extensions.length > 0 ? { extensions } : {}) },
    ...securityOf(schemes),
  };
}

/** The same for clients of 0.3. @throws Error when none of its interfaces is one of 0.3 */
export function legacyCardOf(card: AgentCard): LegacyCard {
  const { supportedInterfaces: _interfaces, capabilities, securitySchemes: _schemes, securityRequirements: _any, ...rest } = card;
  const { extendedAgentCard: _extended, ...legacyCapabilities } = capabilities;
  return { ...rest, ...legacyFieldsOf(card), ...legacySecurityOf(card), capabilities: legacyCapabilities };
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
