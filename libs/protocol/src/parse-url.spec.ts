import { parseUrl } from './parse-url.js';

describe('parseUrl', () => {
  it('reads a URL, and nothing else', () => {
    expect(parseUrl('https://example.org/a')?.host).toBe('example.org');
    expect(parseUrl('example.org')).toBeUndefined();
    expect(parseUrl('')).toBeUndefined();
  });

  it('takes a host with Latin-1 letters the fifty-thousandth time as the first', () => {
    let refused = 0;
    for (let i = 0; i < 50_000; i += 1) if (parseUrl('https://ex\u00e4mple.org/') === undefined) refused += 1;
    expect(refused).toBe(0);
  });
});
