import { ApiKeyExistsError, type ApiKeyStore, type StoredApiKey } from '#core';
import { randomBytes } from 'node:crypto';
import type { Stores } from './store-fixture.js';

/** What every ApiKeyStore promises. */
export function apiKeyStoreContract(name: string, open: () => Promise<Stores>): void {
  describe(`${name}: API keys`, () => {
    let stores: Stores;
    let keys: ApiKeyStore;
    beforeAll(async () => {
      stores = await open();
      keys = stores.apiKeys;
    });
    afterAll(() => stores.close());

    const key = (more: Partial<StoredApiKey> = {}): StoredApiKey => ({
      id: randomBytes(8).toString('hex'),
      secretHash: new Uint8Array(randomBytes(32)),
      tenant: 'acme',
      principal: 'ada',
      scopes: ['tasks:read', 'tasks:write'],
      createdAt: 1_790_000_000_123,
      ...more,
    });
    const shown = ({ secretHash: _secret, ...rest }: StoredApiKey): object => rest;

    it.each<[string, Partial<StoredApiKey>]>([
      ['of all agents, without an end', {}],
      ['of some agents, with an end', { agents: ['echo', 'research'], expiresAt: 1_790_000_100_456 }],
      ['of no agent and no scope, which permits nothing', { agents: [], scopes: [] }],
      ['of the tenant without a name', { tenant: '' }],
      ['for every tenant', { tenant: undefined, scopes: ['admin'] }],
    ])('a key %s is found as it was added', async (_what, more) => {
      const added = key(more);
      await keys.add(added);
      const found = await keys.find(added.id);
      expect(found).toEqual({ ...added, secretHash: expect.anything() });
      expect(Buffer.from(found!.secretHash).equals(Buffer.from(added.secretHash))).toBe(true);
    });

    it('an unknown key is not found', async () => {
      expect(await keys.find('0123456789abcdef')).toBeUndefined();
    });

    it('lists the newest first, without what could be used', async () => {
      const [older, newer] = [key({ createdAt: 1_890_000_000_000 }), key({ createdAt: 1_890_000_000_001 })];
      await keys.add(older);
      await keys.add(newer);
      expect((await keys.list()).slice(0, 2)).toEqual([shown(newer), shown(older)]);
    });

    it('a revoked key says since when, and a second time changes nothing', async () => {
      const added = key();
      await keys.add(added);
      expect(await keys.revoke(added.id, 1_790_000_200_000)).toBe(true);
      expect(await keys.revoke(added.id, 1_790_000_300_000)).toBe(true);
      expect(await keys.find(added.id)).toMatchObject({ revokedAt: 1_790_000_200_000 });
      expect(await keys.revoke('0123456789abcdef', 1)).toBe(false);
    });

    it('the id of a key is not given twice', async () => {
      const added = key();
      await keys.add(added);
      await expect(keys.add({ ...added, principal: 'eve' })).rejects.toThrow(ApiKeyExistsError);
      expect(await keys.find(added.id)).toMatchObject({ principal: 'ada' });
    });

    it.each<[string, Partial<StoredApiKey>, boolean]>([
      ['was revoked', {}, true],
      ['has expired', { expiresAt: 1_790_000_000_500 }, false],
    ])('one that %s gives its place to another of its id', async (_what, more, revoked) => {
      const ended = key(more);
      await keys.add(ended);
      if (revoked) await keys.revoke(ended.id, 1_790_000_000_400);
      const next = key({ id: ended.id, principal: 'eve', agents: ['echo'], createdAt: 1_790_000_000_600 });
      await keys.add(next);
      expect(await keys.find(ended.id)).toEqual({ ...next, secretHash: expect.anything() });
    });
  });
}
