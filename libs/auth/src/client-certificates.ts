import type { ApiKeyStore, Caller } from '#core';
import { UnauthenticatedError, type SecurityScheme } from '#protocol';
import { createHash, X509Certificate } from 'node:crypto';
import { isSecretOf } from './api-key.js';
import type { Credential, Shown } from './credential.js';
import { callerOf, endOf, KnownKeys } from './known-keys.js';

const SCHEMES: Readonly<Record<string, SecurityScheme>> = Object.freeze({
  mtls: { mtlsSecurityScheme: { description: 'A client certificate that is registered with this host' } },
});
const CHALLENGE = 'Certificate';

/** A client as it is registered: by a name that its certificate has, or by the one certificate. */
export interface RegisteredName {
  /** Begins with `cert-`, as the id of no API key does: neither can be used in the place of the other. */
  readonly id: string;
  readonly secretHash: Uint8Array;
}

/** The name of one certificate (RFC 8705, 3.1). @throws Error for what is no certificate */
export const nameOfCertificate = (certificate: string | Uint8Array): string => thumbprintOf(new X509Certificate(certificate));

/** A subject alternative name as one writes it: `URI:spiffe://acme/robot`, `DNS:robot.acme.example`, `email:robot@acme.example`. */
export const isAlternativeName = (name: string): boolean => /^(?:URI|DNS|email):[^\s,"]+$/.test(name);

export function registeredName(name: string): RegisteredName {
  const secretHash = createHash('sha256').update(name).digest();
  return { id: `cert-${secretHash.toString('hex').slice(0, 16)}`, secretHash };
}

/** Client certificates that are registered, one by one or by a name that whoever signs them gives. */
export class ClientCertificates implements Credential {
  readonly schemes = SCHEMES;
  readonly challenge = CHALLENGE;
  readonly #keys: KnownKeys;

  constructor(
    store: Pick<ApiKeyStore, 'find'>,
    private readonly now: () => number = Date.now,
  ) {
    this.#keys = new KnownKeys(store, now);
  }

  callerOf({ clientCertificate }: Shown): Promise<Caller> | undefined {
    return clientCertificate === undefined ? undefined : this.#callerOf(clientCertificate);
  }

  async #callerOf(der: Uint8Array): Promise<Caller> {
    const certificate = parse(der);
    if (certificate === undefined) throw refused('The client certificate cannot be read');
    if (Date.parse(certificate.validFrom) > this.now()) throw refused('The client certificate is not valid yet');
    if (Date.parse(certificate.validTo) <= this.now()) throw refused('The client certificate has expired');
    for (const name of [thumbprintOf(certificate), ...alternativeNames(certificate)]) {
      const { id } = registeredName(name);
      const key = await this.#keys.find(id);
      if (key === undefined || !isSecretOf(name, key.secretHash)) continue;
      const end = endOf(key, this.now());
      if (end !== undefined) throw refused(`The registration ${id} ${end}`);
      return callerOf(key);
    }
    throw refused('The client certificate is not registered');
  }
}

function parse(der: Uint8Array): X509Certificate | undefined {
  try {
    return new X509Certificate(der);
  } catch {
    return undefined;
  }
}

const thumbprintOf = ({ raw }: X509Certificate): string => `x5t#S256:${createHash('sha256').update(raw).digest('base64url')}`;

/** Node quotes names in which something could be taken for the next name; none of those can be registered. */
const alternativeNames = ({ subjectAltName }: X509Certificate): readonly string[] =>
  subjectAltName === undefined || subjectAltName.includes('"') ? [] : subjectAltName.split(', ').filter(isAlternativeName);

const refused = (why: string): UnauthenticatedError =>
  new UnauthenticatedError(why, `${CHALLENGE} realm="chorus", error="invalid_certificate"`);
