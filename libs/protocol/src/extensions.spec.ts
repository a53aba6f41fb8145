import { ExtensionSupportRequiredError } from './errors.js';
import { activateExtensions, parseExtensions } from './extensions.js';

describe('parseExtensions', () => {
  it.each([
    [undefined, []],
    ['', []],
    [' , ,', []],
    ['https://a', ['https://a']],
    ['https://a, https://b ,https://a', ['https://a', 'https://b']],
  ])('%j is %j', (header, expected) => {
    expect(parseExtensions(header)).toEqual(expected);
  });
});

describe('activateExtensions', () => {
  const declared = [{ uri: 'https://a', required: true }, { uri: 'https://b' }, { uri: 'https://c', required: false }];

  it('activates what was requested and is declared', () => {
    expect(activateExtensions(['https://b', 'https://x', 'https://a'], declared)).toEqual(['https://b', 'https://a']);
    expect(activateExtensions(['https://x'], [])).toEqual([]);
  });

  it('refuses a client that does not name a required one', () => {
    expect(() => activateExtensions(['https://b'], declared)).toThrow(ExtensionSupportRequiredError);
    expect(() => activateExtensions(['https://b'], declared)).toThrow('https://a');
  });
});
