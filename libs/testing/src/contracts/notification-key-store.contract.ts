import type { Stores } from './store-fixture.js';

const DAY_MS = 86_400_000;

/** What every NotificationKeyStore promises. */
export function notificationKeyStoreContract(name: string, open: () => Promise<Stores>): void {
  describe(`${name}: keys of push notifications`, () => {
    let stores: Stores;
    beforeEach(async () => {
      stores = await open();
    });
    afterEach(() => stores.close());

    const keyOf = (generation: number, signsInMs = 0) => ({
      ...{ generation, signsInMs },
      ...{ publicKey: `{"kid":"${generation}"}`, privateKey: Buffer.from(`sealed ${generation}`) },
    });
    const generations = async (): Promise<number[]> => (await stores.notificationKeys.list()).map(({ generation }) => generation);

    it('lists the newest first, with whether its time has come', async () => {
      expect(await stores.notificationKeys.list()).toEqual([]);
      await stores.notificationKeys.add(keyOf(1));
      await stores.notificationKeys.add(keyOf(2, DAY_MS));
      const [next, first] = await stores.notificationKeys.list();
      expect(next).toMatchObject({ generation: 2, publicKey: '{"kid":"2"}', signs: false });
      expect(first).toMatchObject({ generation: 1, signs: true });
      expect(Buffer.from(first!.privateKey).toString()).toBe('sealed 1');
      expect(Math.abs(first!.createdAt - Date.now())).toBeLessThan(60_000);
    });

    it('of many processes that make the same generation one makes it', async () => {
      const made = await Promise.all(Array.from({ length: 5 }, () => stores.notificationKeys.add(keyOf(1))));
      expect(made.filter(Boolean)).toHaveLength(1);
      expect(await generations()).toEqual([1]);
    });

    it('removes what has been replaced for long enough, and never the one that signs', async () => {
      for (const key of [keyOf(1), keyOf(2, -DAY_MS), keyOf(3), keyOf(4, DAY_MS)]) await stores.notificationKeys.add(key);
      expect(await stores.notificationKeys.removeReplaced(2 * DAY_MS)).toBe(0);
      expect(await stores.notificationKeys.removeReplaced(DAY_MS / 2)).toBe(1);
      expect(await generations()).toEqual([4, 3, 2]);
      expect(await stores.notificationKeys.removeReplaced(0)).toBe(1);
      expect(await generations()).toEqual([4, 3]);
    });
  });
}
