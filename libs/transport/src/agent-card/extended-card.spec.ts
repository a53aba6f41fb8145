import type { AnnouncedAgent } from '#core';
import type { ExtendedCardTemplate, Scope } from '#protocol';
import { extendedAgentOf } from './extended-card.js';

const skill = (id: string, scopes?: Scope[]) => ({ id, name: id, description: id, tags: ['t'], ...(scopes && { scopes }) });
const card = { name: 'A', description: 'Short', version: '1', skills: [skill('public')] };
const cardFor = (scopes: Scope[], extendedCard?: ExtendedCardTemplate) =>
  extendedAgentOf({ id: 'a', card, extendedCard } as unknown as AnnouncedAgent, new Set(scopes)).card;

describe('extendedAgentOf', () => {
  const skills = [skill('all'), skill('admins', ['admin']), skill('both', ['admin', 'push'])];

  it.each<[Scope[], string[]]>([
    [[], ['public', 'all']],
    [['push'], ['public', 'all']],
    [['admin'], ['public', 'all', 'admins']],
    [
      ['push', 'admin'],
      ['public', 'all', 'admins', 'both'],
    ],
  ])('shows a caller with %j the skills %j', (scopes, expected) => {
    expect(cardFor(scopes, { skills }).skills.map(({ id }) => id)).toEqual(expected);
  });

  it('says nothing of the scopes, which no card has a field for', () => {
    expect(JSON.stringify(cardFor(['push', 'admin'], { skills }))).not.toContain('scopes');
  });

  it('puts texts in the place of those of the card, and leaves the rest', () => {
    expect(cardFor([], { description: 'Long', version: '1+e' })).toEqual({ ...card, description: 'Long', version: '1+e' });
    expect(cardFor([])).toEqual(card);
  });
});
