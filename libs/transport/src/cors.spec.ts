import { Cors } from './cors.js';

const allowed = (origins: string[], origin?: string): [string | undefined, string | undefined] => {
  const headers = new Cors(origins).headers(origin);
  return [headers['access-control-allow-origin'], headers['vary']];
};

describe('Cors', () => {
  it.each<[string[], string | undefined, string | undefined, string | undefined]>([
    [['*'], 'https://a.test', '*', undefined],
    [['*'], undefined, '*', undefined],
    [[], 'https://a.test', undefined, undefined],
    [['https://a.test', 'https://b.test'], 'https://b.test', 'https://b.test', 'Origin'],
    [['https://a.test'], 'https://b.test', undefined, 'Origin'],
    [['https://a.test'], undefined, undefined, 'Origin'],
  ])('with %j answers the origin %j with %j, varying by %j', (origins, origin, allow, vary) => {
    expect(allowed(origins, origin)).toEqual([allow, vary]);
  });

  it('tells a preflight of a page that may not read answers nothing of what it could send', () => {
    const cors = new Cors(['https://a.test']);
    expect(cors.preflight('https://b.test', 'x-y')).toEqual({ vary: 'Origin' });
    expect(cors.preflight('https://a.test', 'x-y')).toMatchObject({
      'access-control-allow-origin': 'https://a.test',
      'access-control-allow-headers': 'x-y',
    });
  });
});
