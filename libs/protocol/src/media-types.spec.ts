import { acceptsMediaType, mediaTypeOf, outputModesIntersect } from './media-types.js';

describe('mediaTypeOf', () => {
  it.each([
    [{ text: '' }, 'text/plain'],
    [{ data: null }, 'application/json'],
    [{ raw: 'aGk=' }, undefined],
    [{ url: 'https://example.com/a.png' }, undefined],
    [{ text: '<p>', mediaType: 'Text/HTML; charset=utf-8' }, 'text/html'],
    [{ text: 'x', mediaType: 'text' }, 'text/plain'],
    [{ raw: 'aGk=', mediaType: ' image/png ' }, 'image/png'],
    [{ text: 'x', mediaType: '' }, 'text/plain'],
  ])('of %j is %j', (part, expected) => {
    expect(mediaTypeOf(part)).toBe(expected);
  });
});

describe('acceptsMediaType', () => {
  it.each([
    [['text/plain'], 'text/plain', true],
    [['text'], 'text/plain', true],
    [['TEXT/Plain; charset=utf-8'], 'text/plain', true],
    [['text/plain'], 'text/plain;charset=iso-8859-1', true],
    [['text/*'], 'text/markdown', true],
    [['text/*'], 'textual/x', false],
    [['*/*'], 'image/png', true],
    [['*'], 'image/png', true],
    [['application/json', 'image/*'], 'image/png', true],
    [['text/plain'], 'application/json', false],
    [['text/plain'], 'text/plainer', false],
    [['text/plain'], 'text/*', false],
    [[], 'text/plain', false],
  ])('%j, %j: %s', (modes, mediaType, expected) => {
    expect(acceptsMediaType(modes, mediaType)).toBe(expected);
  });
});

describe('outputModesIntersect', () => {
  it.each([
    [[], ['text/plain'], true],
    [['text/plain'], ['text/plain', 'image/png'], true],
    [['text'], ['text/plain'], true],
    [['image/*'], ['text/plain', 'image/png'], true],
    [['image/png'], ['image/*'], true],
    [['*/*'], ['text/plain'], true],
    [['text/*'], ['*/*'], true],
    [['text/*'], ['image/*'], false],
    [['application/json'], ['text/plain'], false],
    [['text/plain'], [], false],
  ])('%j, %j: %s', (accepted, offered, expected) => {
    expect(outputModesIntersect(accepted, offered)).toBe(expected);
  });
});
