import { StoreUnavailableError, type StoredApiKey } from '#core';
import { UnauthenticatedError } from '#protocol';
import { InMemoryApiKeyStore, InMemoryDatabase } from '#testing';
import { newApiKey } from './api-key.js';
import { ApiKeys } from './api-keys.js';
import { KEY_TTL_MS } from './known-keys.js';
import { Authentication } from './authentication.js';

const NOW = 1_790_000_000_000;

function installation() {
  let now = NOW;
  const database = new InMemoryDatabase();
  const store = new InMemoryApiKeyStore(database);
  let finds = 0;
  database.gate = (call, phase) => {
    if (call === 'findApiKey' && phase === 'request') finds += 1;
  };
  const authentication = new Authentication([new ApiKeys(store, () => now)]);
  const add = async (more: Partial<StoredApiKey> = {}): Promise<{ id: string; key: string }> => {
    const { id, key, secretHash } = newApiKey();
    await store.add({ id, secretHash, tenant: 'acme', principal: 'ada', scopes: ['tasks:read'], createdAt: NOW, ...more });
    return { id, key };
  };
  const fault = (headers: Record<string, string>): Promise<string> =>
    authentication.authenticate({ headers }).then(
      () => 'let in',
      (error: Error) => (error instanceof UnauthenticatedError ? error.message : error.name),
    );
  return { database, store, authentication, add, fault, finds: () => finds, advance: (ms: number) => (now += ms) };
}

describe('ApiKeys', () => {
  it.each<[string, (key: string) => Record<string, string>]>([
    ['X-API-Key', (key) => ({ 'x-api-key': key })],
    ['Authorization: Bearer', (key) => ({ authorization: `Bearer ${key}` })],
    ['a scheme in other letters', (key) => ({ authorization: `bearer  ${key} ` })],
    ['X-API-Key beside the credential of a proxy', (key) => ({ authorization: 'Basic YTpi', 'x-api-key': key })],
  ])('a key in %s says who its holder is, and what it permits', async (_where, headers) => {
    const { authentication, add } = installation();
    const { key } = await add({ agents: ['echo'] });
    expect(await authentication.authenticate({ headers: headers(key) })).toEqual({
      principal: { id: 'ada' },
      credentialId: key.split('_')[1],
      tenant: 'acme',
      scopes: new Set(['tasks:read']),
      agents: new Set(['echo']),
    });
  });

  it('a wrong key is refused in the same words, whatever is wrong with it', async () => {
    const { add, fault } = installation();
    const { key } = await add();
    const last = key.endsWith('A') ? 'B' : 'A';
    const wrong = [`${key.slice(0, -1)}${last}`, newApiKey().key, `${key}a`, 'chorus_', 'chorus_x_y'];
    for (const text of wrong) {
      expect(await fault({ 'x-api-key': text })).toBe('The API key is not valid');
      expect(await fault({ authorization: `Bearer ${text}` })).toBe('The API key is not valid');
    }
  });

  it.each<Record<string, string>>([
    {},
    { authorization: '' },
    { authorization: 'Basic YTpi' },
    { authorization: 'Bearer' },
    { authorization: 'Bearer eyJhbGciOiJub25lIn0.e30.' },
    { 'x-api-key': '' },
  ])('%j has no credential of this kind', async (headers) => {
    expect(await installation().fault(headers)).toBe('This host needs a credential; its agent cards say which');
  });

  it('one that is expired or revoked is refused, and its holder is told', async () => {
    const { store, add, fault, advance } = installation();
    const ending = await add({ expiresAt: NOW + 1000 });
    const revoked = await add();
    expect(await fault({ 'x-api-key': ending.key })).toBe('let in');
    expect(await fault({ 'x-api-key': revoked.key })).toBe('let in');
    advance(1000);
    expect(await fault({ 'x-api-key': ending.key })).toBe(`The API key ${ending.id} has expired`);
    await store.revoke(revoked.id, NOW);
    advance(KEY_TTL_MS);
    expect(await fault({ 'x-api-key': revoked.key })).toBe(`The API key ${revoked.id} was revoked`);
    // A guesser does not learn that there is such a key.
    expect(await fault({ 'x-api-key': newApiKey().key.replace(/_[0-9a-f]{16}_/, `_${revoked.id}_`) })).toBe(
      'The API key is not valid',
    );
  });

  it('the store is asked once in a while, however many requests there are, and again after it failed', async () => {
    const { database, add, fault, finds, advance } = installation();
    const { key } = await add();
    await Promise.all(Array.from({ length: 50 }, () => fault({ 'x-api-key': key })));
    expect(finds()).toBe(1);
    advance(KEY_TTL_MS);
    database.available = false;
    expect(await fault({ 'x-api-key': key })).toBe(StoreUnavailableError.name);
    database.available = true;
    expect(await fault({ 'x-api-key': key })).toBe('let in');
    expect(finds()).toBe(3);
  });

  it('forgets the oldest before made-up ids fill the memory', async () => {
    const { add, fault, finds } = installation();
    const { key } = await add();
    await fault({ 'x-api-key': key });
    for (let n = 0; n < 10_000; n += 1) {
      await fault({ 'x-api-key': `chorus_${n.toString(16).padStart(16, '0')}_${'a'.repeat(43)}` });
    }
    expect(finds()).toBe(10_001);
    await fault({ 'x-api-key': key });
    expect(finds()).toBe(10_002);
  });
});
