import type { AgentCardTemplate } from '../agent-card.js';
import { InvalidAgentCardError, parseAgentCardTemplate } from './agent-card-template.js';

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
    ['security schemes', { ...CARD, securitySchemes: {} }, 'has no field securitySchemes (this host does not authenticate'],
    ['security requirements', { ...CARD, securityRequirements: [] }, 'has no field securityRequirements (this host does not'],
    [
      'security requirements of a skill',
      { ...CARD, skills: [{ ...CARD.skills[0], securityRequirements: [] }] },
      'skills[0]: has no field securityRequirements (this host does not authenticate',
    ],
  ])('refuses a card with %s', (_, card, message) => {
    expect(() => parseAgentCardTemplate(card)).toThrow(InvalidAgentCardError);
    expect(() => parseAgentCardTemplate(card)).toThrow(message);
  });

  it('lists every fault', () => {
    expect(() => parseAgentCardTemplate({ ...CARD, name: '', version: 1 })).toThrow(/name: .*\n {2}version: /);
  });
});
