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
  securitySchemes: {
    key: { apiKeySecurityScheme: { location: 'header', name: 'X-Key' } },
    bearer: { httpAuthSecurityScheme: { scheme: 'Bearer', bearerFormat: 'JWT' } },
    oauth: {
      oauth2SecurityScheme: { flows: { clientCredentials: { tokenUrl: 'https://example.com/token', scopes: { read: 'Read' } } } },
    },
    oidc: { openIdConnectSecurityScheme: { openIdConnectUrl: 'https://example.com/.well-known/openid-configuration' } },
    mtls: { mtlsSecurityScheme: {} },
  },
  securityRequirements: [{ schemes: { key: { list: [] } } }, { schemes: { oauth: { list: ['read'] } } }],
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
    ['an unknown scheme', { ...CARD, securitySchemes: { a: { basic: {} } } }, 'securitySchemes.a: '],
    [
      'two schemes in one',
      { ...CARD, securitySchemes: { a: { mtlsSecurityScheme: {}, httpAuthSecurityScheme: { scheme: 'Basic' } } } },
      'securitySchemes.a: must have exactly one of',
    ],
    [
      'an OAuth2 scheme without a flow',
      { ...CARD, securitySchemes: { a: { oauth2SecurityScheme: { flows: {} } } } },
      'securitySchemes.a.oauth2SecurityScheme.flows: must have exactly one of',
    ],
    [
      'a requirement without its scheme',
      { ...CARD, securityRequirements: [{ schemes: { key: { list: [] } } }] },
      'securitySchemes: has no scheme key, which is required',
    ],
  ])('refuses a card with %s', (_, card, message) => {
    expect(() => parseAgentCardTemplate(card)).toThrow(InvalidAgentCardError);
    expect(() => parseAgentCardTemplate(card)).toThrow(message);
  });

  it('lists every fault', () => {
    expect(() => parseAgentCardTemplate({ ...CARD, name: '', version: 1 })).toThrow(/name: .*\n {2}version: /);
  });
});
