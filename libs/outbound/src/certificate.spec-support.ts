import { generateKeyPairSync, sign } from 'node:crypto';

const SEQUENCE = 0x30;
const SHA256_WITH_ECDSA = [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02];
const COMMON_NAME = [0x55, 0x04, 0x03];
const SUBJECT_ALT_NAME = [0x55, 0x1d, 0x11];

/** A certificate for one host name, and a URI when one is given, signed by itself, and its key; valid for half an hour. */
export function selfSigned(name: string, uri?: string): { key: string; cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const algorithm = der(SEQUENCE, der(0x06, SHA256_WITH_ECDSA));
  const commonName = der(SEQUENCE, der(0x31, der(SEQUENCE, der(0x06, COMMON_NAME), der(0x0c, Buffer.from(name)))));
  const alternatives = der(SEQUENCE, der(0x82, Buffer.from(name)), ...(uri === undefined ? [] : [der(0x86, Buffer.from(uri))]));
  const extension = der(SEQUENCE, der(0x06, SUBJECT_ALT_NAME), der(0x04, alternatives));
  const body = der(
    SEQUENCE,
    der(0xa0, der(0x02, [2])),
    der(0x02, [1]),
    algorithm,
    commonName,
    der(SEQUENCE, time(-1800), time(1800)),
    commonName,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, der(SEQUENCE, extension)),
  );
  const signature = der(0x03, [0], sign('sha256', body, privateKey));
  const text = der(SEQUENCE, body, algorithm, signature)
    .toString('base64')
    .match(/.{1,64}/g)
    ?.join('\n');
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${text}\n-----END CERTIFICATE-----\n`,
  };
}

function der(tag: number, ...content: (Buffer | readonly number[])[]): Buffer {
  const bytes = Buffer.concat(content.map((part) => Buffer.from(part)));
  const [high, low] = [bytes.length >> 8, bytes.length & 255];
  const length = high > 0 ? [0x82, high, low] : low > 127 ? [0x81, low] : [low];
  return Buffer.concat([Buffer.from([tag, ...length]), bytes]);
}

function time(secondsFromNow: number): Buffer {
  const text = new Date(Date.now() + secondsFromNow * 1000).toISOString().replace(/[-:T]|\.\d+/g, '');
  return der(0x18, Buffer.from(text));
}
