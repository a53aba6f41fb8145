import type { AgentCardTemplate } from '../agent-card.js';
import { InvalidAgentCardError, parseAgentCardTemplate, parseExtendedCardTemplate } from './agent-card-template.js';

const CARD: AgentCardTemplate = {
  name: 'Echo',
  description: 'Says what it hears',
  version: '1.0.0',
  defaultInputModes: ['text/plain', 'text', 'image/*', '*/*'],
  defaultOutputModes: ['application/vnd.example+json; charset=utf-8'],
  skills: [{ id: 'echo', name: 'Echo', description: 'Echoes', tags: ['demo'] }],
};

const WHOLE: AgentCardTemplate = {
  ...CARD,
  provider: { url: 'https://example.com', organization: 'Example' },
  documentationUrl: 'https://example.com/docs',
  iconUrl: 'https://example.com/icon.png',
  capabilities: {
    extensions: [{ uri: 'https://example.com/ext', description: 'x', required: true, params: { deep: [{ a: null }] } }],
  },
};

describe('parseAgentCardTemplate', () => {
  it.each([
    ['the least', CARD],
    ['all', WHOLE],
  ])('accepts a card with %s', (_, card) => {
    expect(parseAgentCardTemplate(card)).toEqual(card);
  });

  it.each<[string, unknown, string]>([
    ['no object', 'Echo', 'expected object'],
    ['no name', { ...CARD, name: undefined }, 'name: '],
    ['an empty description', { ...CARD, description: '' }, 'description: '],
    ['no modes', { ...CARD, defaultInputModes: [] }, 'defaultInputModes: '],
    [
      'a mode that is no media type',
      { ...CARD, defaultOutputModes: ['plain text'] },
      'defaultOutputModes[0]: must be a media type',
    ],
    ['no skills', { ...CARD, skills: [] }, 'skills: '],
    ['a skill without tags', { ...CARD, skills: [{ ...CARD.skills[0], tags: [] }] }, 'skills[0].tags: '],
    ['a skill id used twice', { ...CARD, skills: [CARD.skills[0], CARD.skills[0]] }, 'skills[1].id: is used twice: echo'],
    ['a misspelt field', { ...CARD, defaultInputMode: ['text'] }, 'has no field defaultInputMode'],
    ['interfaces', { ...CARD, supportedInterfaces: [] }, '(the host states supportedInterfaces itself)'],
    [
      'streaming',
      { ...CARD, capabilities: { streaming: true } },
      'capabilities: has no field streaming (the host states streaming itself)',
    ],
    ['a URL that is none', { ...CARD, documentationUrl: 'docs' }, 'documentationUrl: '],
    ...['urn:a,b', 'urn:a b', 'ext', ''].map((uri): [string, unknown, string] => [
      `the extension URI ${JSON.stringify(uri)}`,
      { ...CARD, capabilities: { extensions: [{ uri }] } },
      'capabilities.extensions[0].uri: must be an absolute URI without commas and blanks',
    ]),
    ['security schemes', { ...CARD, securitySchemes: {} }, 'has no field securitySchemes (the host states those'],
    ['security requirements', { ...CARD, securityRequirements: [] }, 'has no field securityRequirements (the host states'],
    [
      'security requirements of a skill',
      { ...CARD, skills: [{ ...CARD.skills[0], securityRequirements: [] }] },
      'skills[0]: has no field securityRequirements (the host states those',
    ],
  ])('refuses a card with %s', (_, card, message) => {
    expect(() => parseAgentCardTemplate(card)).toThrow(InvalidAgentCardError);
    expect(() => parseAgentCardTemplate(card)).toThrow(message);
  });

  it('lists every fault', () => {
    expect(() => parseAgentCardTemplate({ ...CARD, name: '', version: 1 })).toThrow(/name: .*\n {2}version: /);
  });
});

describe('parseExtendedCardTemplate', () => {
  const skill = { id: 'more', name: 'More', description: 'd', tags: ['t'] };
  const parse = (input: unknown) => parseExtendedCardTemplate(input, parseAgentCardTemplate(CARD));

  it.each([
    [{ description: 'Longer' }],
    [{ version: '2', documentationUrl: 'https://a.example/d' }],
    [{ skills: [{ ...skill, scopes: ['admin'] }] }],
  ])('takes %j', (input) => expect(parse(input)).toEqual(input));

  it.each<[string, unknown, string]>([
    ['nothing', {}, 'adds nothing to the card'],
    ['the id of a skill of the card', { skills: [{ ...skill, id: CARD.skills[0]!.id }] }, 'skills[0].id: is used twice'],
    ['an id twice', { skills: [skill, skill] }, 'skills[1].id: is used twice: more'],
    ['a scope that there is not', { skills: [{ ...skill, scopes: ['root'] }] }, 'skills[0].scopes[0]'],
    ['a list of scopes without one', { skills: [{ ...skill, scopes: [] }] }, 'skills[0].scopes'],
    [
      'modes, which are those of the card',
      { skills: [{ ...skill, inputModes: ['text/plain'] }] },
      'skills[0]: has no field inputModes',
    ],
    ['what the host states', { streaming: true }, 'the host states streaming itself'],
  ])('refuses %s', (_what, input, fault) => {
    expect(() => parse(input)).toThrow(InvalidAgentCardError);
    expect(() => parse(input)).toThrow(fault);
    expect(() => parse(input)).toThrow('The extended card is not valid');
  });
});
