import { certificateIn, forwardedCertificate } from './client-certificate.js';

const DER = Buffer.from([0x30, 0x03, 0x02, 0x01, 0xfb, 0xff]);
const base64 = DER.toString('base64');
const pem = (content = base64): string => `-----BEGIN CERTIFICATE-----\n${content}\n-----END CERTIFICATE-----\n`;
const escaped = encodeURIComponent(pem());

describe('certificateIn', () => {
  it.each([
    ['a byte sequence (RFC 9440)', `:${base64}:`],
    ['PEM that is URL-encoded, as of nginx', escaped],
    ["Envoy's form", `Hash=ab;Cert="${escaped}";Subject="CN=a,O=b; c";URI=spiffe://acme/robot`],
    ["the nearest proxy's in Envoy's form", `Cert="${encodeURIComponent(pem('AAAA'))}";Subject="CN=a",By=x;Cert="${escaped}"`],
  ])('reads %s', (_form, value) => {
    expect(certificateIn(value)).toEqual(DER);
  });

  it.each([
    ['nothing', ''],
    ['any text', 'robot'],
    ['two of the first form', `:${base64}:, :${base64}:`],
    ['two of the second', `${escaped}, ${escaped}`],
    ['a chain', encodeURIComponent(pem() + pem())],
    ['another kind of PEM', encodeURIComponent(pem().replaceAll('CERTIFICATE', 'PRIVATE KEY'))],
    ['what cannot be decoded', `-----BEGIN CERTIFICATE-----%E0%A4%A`],
    ["Envoy's form of a proxy that does not hand it on", `Cert="${escaped}";Subject="CN=a",Hash=ab;Subject="CN=b"`],
    ['a subject that looks like one', `Hash=ab;Subject="CN=\\";Cert=\\"${escaped}\\""`],
  ])('takes %s for none', (_what, value) => {
    expect(certificateIn(value)).toBeUndefined();
  });
});

describe('forwardedCertificate', () => {
  const headers = { 'client-cert': `:${base64}:` };
  const isTrusted = (address: string): boolean => address === '10.0.0.1';

  it('believes a trusted proxy, and nobody else', () => {
    const options = { isTrusted, certificateHeader: 'client-cert' };
    expect(forwardedCertificate('10.0.0.1', headers, options)).toEqual(DER);
    expect(forwardedCertificate('10.0.0.2', headers, options)).toBeUndefined();
    expect(forwardedCertificate('10.0.0.2', { ...headers, 'x-forwarded-for': '10.0.0.1' }, options)).toBeUndefined();
    expect(forwardedCertificate(undefined, headers, options)).toBeUndefined();
  });

  it('looks into the header that is configured, and into none otherwise', () => {
    expect(forwardedCertificate('10.0.0.1', headers, { isTrusted })).toBeUndefined();
    expect(forwardedCertificate('10.0.0.1', headers, { isTrusted, certificateHeader: 'x-ssl' })).toBeUndefined();
  });
});
