import { canonicalizeAgentCard, AgentCard as SdkCard } from '@a2a-js/sdk';
import { canonicalCard, CardShapeError, emptyValues, strippedCard, uncoveredFields } from './canonical-card.js';
import { canonicalText, card } from './cards.spec-support.js';

const changed = (changes: object): unknown => ({ ...card(), ...changes });
const extension = (fields: object): unknown => changed({ capabilities: { extensions: [fields] } });
const ofExtension = (text: string): string => canonicalText({ capabilities: `{"extensions":[${text}]}` });

describe('the canonical form of a card', () => {
  it.each<[string, unknown, string]>([
    ['plain', card(), canonicalText()],
    ['REQUIRED texts, empty', changed({ description: '' }), canonicalText({ description: '""' })],
    ['REQUIRED lists, empty', changed({ skills: [] }), canonicalText({ skills: '[]' })],
    ['a REQUIRED message, empty', changed({ capabilities: {} }), canonicalText({ capabilities: '{}' })],
    [
      'REQUIRED fields left out',
      { ...card(), description: undefined, skills: null },
      canonicalText({ description: '""', skills: '[]' }),
    ],
    [
      'REQUIRED fields of a nested message left out',
      changed({ skills: [{ id: 's', name: 'S' }] }),
      canonicalText({ skills: '[{"description":"","id":"s","name":"S","tags":[]}]' }),
    ],
    [
      'explicit false',
      changed({ capabilities: { streaming: false, pushNotifications: false, extensions: [] } }),
      canonicalText({ capabilities: '{"pushNotifications":false,"streaming":false}' }),
    ],
    [
      'optional, explicitly empty',
      changed({ iconUrl: '', documentationUrl: '' }),
      canonicalText({ iconUrl: '""', documentationUrl: '""' }),
    ],
    ['optional, unset or null', changed({ iconUrl: undefined, provider: null }), canonicalText()],
    ['defaults without presence', extension({ uri: 'urn:x', description: '', required: false }), ofExtension('{"uri":"urn:x"}')],
    ['what is not the default', extension({ uri: 'urn:x', required: true }), ofExtension('{"required":true,"uri":"urn:x"}')],
    ['a message that was set to nothing', extension({ uri: 'urn:x', params: {} }), ofExtension('{"params":{},"uri":"urn:x"}')],
    [
      'empty values of a Struct',
      extension({ uri: 'urn:x', params: { text: '', list: [], none: null, no: false, zero: 0 } }),
      ofExtension('{"params":{"list":[],"no":false,"none":null,"text":"","zero":0},"uri":"urn:x"}'),
    ],
    [
      'numbers',
      extension({ uri: 'urn:x', params: { n: [1e21, 1e-7, 0.1, -0, 333333333.33333329, 4.5, 1e30, 2e-3, 10.0] } }),
      ofExtension('{"params":{"n":[1e+21,1e-7,0.1,0,333333333.3333333,4.5,1e+30,0.002,10]},"uri":"urn:x"}'),
    ],
    ['unicode', changed({ name: '€ ö 😀 \u2028 "\\/\b\u000f' }), canonicalText({ name: '"€ ö 😀 \u2028 \\"\\\\/\\b\\u000f"' })],
    [
      // RFC 8785, 3.2.3: by UTF-16 code units, so that an emoji comes before a Hebrew letter's presentation form.
      'names by UTF-16 code units',
      extension({ uri: 'urn:x', params: { '\ufb33': 1, '😀': 2, '€': 3, a: 4, A: 5, '': 6 } }),
      ofExtension('{"params":{"":6,"A":5,"a":4,"€":3,"😀":2,"\ufb33":1},"uri":"urn:x"}'),
    ],
    ['signatures', changed({ signatures: [{ protected: 'a', signature: 'b' }] }), canonicalText()],
    [
      'what the specification does not have',
      changed({ url: 'x', skills: [{ ...card().skills[0], security: [] }] }),
      canonicalText(),
    ],
    [
      'security',
      changed({
        securitySchemes: {
          __proto__: undefined,
          o: { oauth2SecurityScheme: { flows: { clientCredentials: { tokenUrl: 't', refreshUrl: '', scopes: {} } } } },
          m: { mtlsSecurityScheme: { description: '' } },
        },
        securityRequirements: [{ schemes: { o: { list: [] }, m: { list: ['x'] } } }, {}],
      }),
      canonicalText({
        securitySchemes:
          '{"m":{"mtlsSecurityScheme":{}},"o":{"oauth2SecurityScheme":{"flows":{"clientCredentials":{"scopes":{},"tokenUrl":"t"}}}}}',
        securityRequirements: '[{"schemes":{"m":{"list":["x"]},"o":{}}},{}]',
      }),
    ],
    ['empty maps and lists', changed({ securitySchemes: {}, securityRequirements: [] }), canonicalText()],
  ])('%s', (_, given, text) => {
    expect(canonicalCard(given)).toBe(text);
  });

  it('keeps a scheme that is called __proto__', () => {
    const named = JSON.parse('{"securitySchemes":{"__proto__":{"mtlsSecurityScheme":{}}}}') as object;
    expect(canonicalCard(changed(named))).toContain('"securitySchemes":{"__proto__":{"mtlsSecurityScheme":{}}}');
  });

  it('is that of the card read back from it', () => {
    const text = canonicalCard(extension({ uri: 'urn:x', params: { a: { b: ['', null] } } }));
    expect(canonicalCard(JSON.parse(text))).toBe(text);
  });

  it.each<[string, unknown, string]>([
    ['a list', [], 'it is not an object'],
    ['null', null, 'it is not an object'],
    ['a number for a name', changed({ name: 5 }), 'name is not a text'],
    ['a text for a flag', changed({ capabilities: { streaming: 'no' } }), 'capabilities.streaming is not true or false'],
    ['an object for a list', changed({ skills: {} }), 'skills is not a list'],
    ['null in a list', changed({ skills: [null] }), 'skills[0] is not an object'],
    ['a text for a map', changed({ securitySchemes: 'x' }), 'securitySchemes is not an object'],
    ['a list for a Struct', extension({ params: [] }), 'capabilities.extensions[0].params is not an object'],
    ['half a character', changed({ name: '\ud800' }), 'Lone surrogate is not allowed'],
  ])('there is none of %s', (_, given, message) => {
    expect(() => canonicalCard(given)).toThrow(CardShapeError);
    expect(() => canonicalCard(given)).toThrow(message);
  });

  it('is the one of the official SDK for a card without empty values', () => {
    const given = {
      ...card({ iconUrl: 'https://a.example/i.png', provider: { url: 'https://p.example', organization: 'P €' } }),
      capabilities: {
        streaming: true,
        pushNotifications: false,
        extensions: [{ uri: 'urn:x', required: false, params: { n: 1.5, nested: { yes: true } } }],
      },
    };
    expect(canonicalCard(given)).toBe(canonicalizeAgentCard(SdkCard.fromJSON(given)));
  });

  it('is not the one of the official SDK for a card with empty values, which that drops', () => {
    const given = { ...card(), description: '', capabilities: {}, skills: [] };
    const sdk = canonicalizeAgentCard(SdkCard.fromJSON(given));
    expect(sdk).not.toContain('description');
    expect(strippedCard(given)).toBe(sdk);
    expect(canonicalCard(given)).toBe(canonicalText({ description: '""', capabilities: '{}', skills: '[]' }));
  });
});

describe('what to know of a card before it is signed or believed', () => {
  it('names the empty values that other verifiers drop, and not those that the form drops anyway', () => {
    const given = {
      ...card({ description: '', iconUrl: '' }),
      capabilities: { extensions: [{ uri: 'urn:x', description: '', params: { a: [{ b: null }], c: {} } }] },
      skills: [{ ...card().skills[0], tags: ['t', ''], examples: [] }],
    };
    expect(emptyValues(given).sort()).toEqual([
      'capabilities.extensions[0].params.a[0].b',
      'capabilities.extensions[0].params.c',
      'description',
      'iconUrl',
      'skills[0].tags[1]',
    ]);
    expect(emptyValues(card())).toEqual([]);
  });

  it('names the fields that no signature covers', () => {
    const given = {
      ...card({ signatures: [] }),
      url: 'https://evil.example',
      constructor: 1,
      skills: [{ ...card().skills[0], security: [] }],
      securitySchemes: { any: { mtlsSecurityScheme: { x: 1 } } },
      capabilities: { extensions: [{ uri: 'urn:x', params: { anything: 1 } }] },
    };
    expect(uncoveredFields(given)).toEqual([
      'skills[0].security',
      'url',
      'constructor',
      'securitySchemes.any.mtlsSecurityScheme.x',
    ]);
    expect(uncoveredFields('no card')).toEqual([]);
  });
});
