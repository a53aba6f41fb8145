import { data, dataOf, file, fileUrl, text, textOf } from './parts.js';

it('a file is its bytes in base64, a view of a larger buffer too', () => {
  const bytes = new Uint8Array([0, 255, 254, 1]).subarray(1, 3);
  expect(file(bytes, { filename: 'a.bin', mediaType: 'application/octet-stream' })).toEqual({
    raw: '//4=',
    filename: 'a.bin',
    mediaType: 'application/octet-stream',
  });
});

it('a file by URL names where it is', () => {
  expect(fileUrl('https://example.com/a', { filename: 'a' })).toEqual({ url: 'https://example.com/a', filename: 'a' });
});

it('textOf joins the texts and leaves out what is none', () => {
  expect(textOf({ parts: [text('a'), data({ text: 'no' }), text('b')] })).toBe('ab');
  expect(textOf({ parts: [] })).toBe('');
});

it('dataOf finds the first data, also one that is false or null', () => {
  expect(dataOf({ parts: [text('a'), data({ n: 1 }), data(2)] })).toEqual({ n: 1 });
  expect(dataOf({ parts: [data(false)] })).toBe(false);
  expect(dataOf({ parts: [data(null), data(1)] })).toBeNull();
  expect(dataOf({ parts: [text('a')] })).toBeUndefined();
});
