import type { StoredApiKey } from '#core';
import { UnauthenticatedError } from '#protocol';
import { InMemoryApiKeyStore, InMemoryDatabase } from '#testing';
import { X509Certificate } from 'node:crypto';
import { selfSigned } from '../../outbound/src/certificate.spec-support.js';
import { newApiKey } from './api-key.js';
import { ApiKeys } from './api-keys.js';
import { Authentication } from './authentication.js';
import { ClientCertificates, isAlternativeName, nameOfCertificate, registeredName } from './client-certificates.js';

const NOW = Date.now();
const robot = selfSigned('robot.test', 'spiffe://acme/robot').cert;
const other = selfSigned('other.test').cert;
const derOf = (pem: string): Uint8Array => new X509Certificate(pem).raw;

function installation() {
  const store = new InMemoryApiKeyStore(new InMemoryDatabase());
  let now = NOW;
  const authentication = new Authentication([new ApiKeys(store, () => now), new ClientCertificates(store, () => now)]);
  const add = async (entry: { id: string; secretHash: Uint8Array }, more: Partial<StoredApiKey> = {}): Promise<void> =>
    store.add({ ...entry, tenant: 'acme', principal: 'robot', scopes: ['tasks:read'], createdAt: NOW, ...more });
  const ask = (clientCertificate: Uint8Array | undefined, headers = {}): Promise<unknown> =>
    authentication.authenticate({ headers, clientCertificate }).then(
      ({ principal }) => principal.id,
      (error: Error) => (error instanceof UnauthenticatedError ? error.message : error),
    );
  return { store, add, ask, authentication, advance: (ms: number) => (now += ms) };
}

describe('ClientCertificates', () => {
  it.each([
    ['its certificate', nameOfCertificate(robot)],
    ['the URI in it', 'URI:spiffe://acme/robot'],
    ['the host name in it', 'DNS:robot.test'],
  ])('a client that is registered by %s is let in, and another is not', async (_what, name) => {
    const { add, ask, authentication } = installation();
    await add(registeredName(name), { agents: ['echo'] });
    expect(await authentication.authenticate({ headers: {}, clientCertificate: derOf(robot) })).toEqual({
      principal: { id: 'robot' },
      credentialId: registeredName(name).id,
      tenant: 'acme',
      scopes: new Set(['tasks:read']),
      agents: new Set(['echo']),
    });
    expect(await ask(derOf(other))).toBe('The client certificate is not registered');
  });

  it('the certificate itself counts before a name in it', async () => {
    const { add, ask } = installation();
    await add(registeredName('DNS:robot.test'), { principal: 'by name' });
    await add(registeredName(nameOfCertificate(robot)), { principal: 'by itself' });
    expect(await ask(derOf(robot))).toBe('by itself');
  });

  it('a key in the request counts before the certificate of its connection', async () => {
    const { add, ask } = installation();
    const { key, ...entry } = newApiKey();
    await add(entry, { principal: 'keyholder' });
    await add(registeredName('DNS:robot.test'));
    expect(await ask(derOf(robot), { 'x-api-key': key })).toBe('keyholder');
    expect(await ask(derOf(robot), { 'x-api-key': `${key}x` })).toBe('The API key is not valid');
  });

  it('is refused when it has ended, or its registration', async () => {
    const { store, add, ask, advance } = installation();
    const entry = registeredName('DNS:robot.test');
    await add(entry, { expiresAt: NOW + 60_000 });
    expect(await ask(derOf(robot))).toBe('robot');
    advance(60_000);
    expect(await ask(derOf(robot))).toBe(`The registration ${entry.id} has expired`);
    await add(entry, { createdAt: NOW + 60_000 });
    await store.revoke(entry.id, NOW + 60_000);
    advance(6000);
    expect(await ask(derOf(robot))).toBe(`The registration ${entry.id} was revoked`);
    advance(3_600_000);
    expect(await ask(derOf(robot))).toBe('The client certificate has expired');
    advance(-2 * 3_600_000);
    expect(await ask(derOf(robot))).toBe('The client certificate is not valid yet');
  });

  it.each([new Uint8Array(), Buffer.from('hello')])('what is no certificate is refused', async (der) => {
    expect(await installation().ask(der)).toBe('The client certificate cannot be read');
  });

  it('a registration is no key, and a key no registration', async () => {
    const { add, ask } = installation();
    const entry = registeredName('DNS:robot.test');
    await add(entry);
    expect(await ask(undefined, { 'x-api-key': `chorus_${entry.id}_DNS:robot.test` })).toBe('The API key is not valid');
    expect(entry.id).toMatch(/^cert-[0-9a-f]{16}$/);
  });

  it('challenges with a name of its own where nothing else is asked for', async () => {
    const { store } = installation();
    await expect(new Authentication([new ClientCertificates(store)]).authenticate({ headers: {} })).rejects.toMatchObject({
      challenge: 'Certificate realm="chorus"',
    });
  });
});

it.each([
  ['URI:spiffe://acme/robot', true],
  ['DNS:robot.test', true],
  ['email:robot@acme.test', true],
  ['CN:robot', false],
  ['robot.test', false],
  ['DNS:a, DNS:b', false],
  ['x5t#S256:abc', false],
])('%s is a name that can be registered: %s', (name, expected) => {
  expect(isAlternativeName(name)).toBe(expected);
});
