import type { AnnouncedAgent, Caller } from '#core';
import type { ExtendedSkill, Scope } from '#protocol';
import type { Host } from '../host.js';
import type { CallRequest } from '../http.js';
import { isDefaultAgent } from './card-binding.js';
import type { ServedCard } from './served-card.js';

/** The agent with the card that its author wrote for callers whose credential has these scopes. */
export function extendedAgentOf(agent: AnnouncedAgent, scopes: ReadonlySet<Scope>): AnnouncedAgent {
  const { skills = [], ...instead } = agent.extendedCard ?? {};
  const added = skills.filter(({ scopes: needed = [] }) => needed.every((scope) => scopes.has(scope))).map(withoutScopes);
  return { ...agent, card: { ...agent.card, ...instead, skills: [...agent.card.skills, ...added] } };
}

const withoutScopes = ({ scopes: _, ...skill }: ExtendedSkill): Omit<ExtendedSkill, 'scopes'> => skill;

/** The 1.0 card that GetExtendedAgentCard answers this caller with, signed where cards are. */
export async function extendedCardFor(
  host: Pick<Host, 'agents' | 'cards'>,
  agent: AnnouncedAgent,
  { request, caller }: { readonly request: CallRequest; readonly caller: Caller },
): Promise<ServedCard> {
  const options = { form: '1.0', isDefault: await isDefaultAgent(host, agent), extendedFor: caller.scopes } as const;
  return host.cards.of(agent, request.origin, options);
}
