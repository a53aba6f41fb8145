import type { PlaceClaim, SharedPlaces } from '#core';
import { eventually } from '../waiting.js';

export interface SharedPlacesUnderTest {
  /** The places of one server, as another replica would have them. The suite closes it. */
  open(): SharedPlaces;
  close?(): Promise<void>;
}

type Describe = (name: string, suite: () => void) => void;

/** What every `SharedPlaces` does while its server is there. */
export function sharedPlacesContract(
  name: string,
  start: () => Promise<SharedPlacesUnderTest>,
  describeSuite: Describe = describe,
): void {
  describeSuite(`SharedPlaces: ${name}`, () => {
    let server: SharedPlacesUnderTest;
    let places: SharedPlaces[];
    let keys = 0;
    let key: string;

    beforeAll(async () => {
      server = await start();
      places = [server.open(), server.open()];
    });
    beforeEach(() => {
      key = `tenant:acme ü:${(keys += 1)}`;
    });
    afterAll(async () => {
      await Promise.all(places.map((one) => one.close()));
      await server.close?.();
    });

    const claim = (n: number, more: Partial<PlaceClaim>): Promise<number> =>
      (places[n] as SharedPlaces).claim({ key, holder: `h${n}`, held: 0, wanted: 0, most: 5, ttlMs: 60_000, ...more });

    it('gives as many as are left, over all holders', async () => {
      expect(await claim(0, { wanted: 3 })).toBe(3);
      expect(await claim(1, { wanted: 3 })).toBe(2);
      expect(await claim(0, { held: 3, wanted: 1 })).toBe(0);
      expect(await claim(1, { held: 2, wanted: 1 })).toBe(0);
    });

    it('what a holder says replaces what it said: places that it has no more are free at once', async () => {
      await claim(0, { wanted: 5 });
      // An answer that was lost: the holder does not know of what it got.
      expect(await claim(0, { held: 0, wanted: 2 })).toBe(2);
      expect(await claim(1, { wanted: 9 })).toBe(3);
      expect(await claim(0, { held: 1 })).toBe(0);
      expect(await claim(1, { held: 3, wanted: 9 })).toBe(1);
    });

    it('a holder may have more than there are: nobody gets any until it has less', async () => {
      await claim(0, { held: 7 });
      expect(await claim(1, { wanted: 1 })).toBe(0);
      expect(await claim(0, { held: 7, wanted: 1 })).toBe(0);
      await claim(0, { held: 4 });
      expect(await claim(1, { wanted: 2 })).toBe(1);
    });

    it('gives none twice in a burst, whoever is first', async () => {
      const held = [0, 0];
      const ask = async (n: number): Promise<void> => {
        // One holder asks one thing after the other.
        for (let i = 0; i < 10; i += 1) held[n] = (held[n] as number) + (await claim(n, { held: held[n], wanted: 2, most: 21 }));
      };
      await Promise.all([ask(0), ask(1)]);
      expect((held[0] as number) + (held[1] as number)).toBe(21);
    });

    it('keys do not share places', async () => {
      await claim(0, { wanted: 5 });
      expect(await claim(1, { key: `${key}'`, wanted: 5 })).toBe(5);
    });

    it('the places of a holder that says nothing any more come back, those of others stay', async () => {
      await claim(0, { wanted: 3, ttlMs: 100 });
      await claim(1, { wanted: 1 });
      await eventually(async () => (await claim(1, { held: 1, wanted: 9 })) === 4);
    });

    it('renews many at once, and takes nothing by it', async () => {
      const other = `${key}'`;
      const renew = (held: number): Promise<void> =>
        (places[0] as SharedPlaces).renew({
          holder: 'h0',
          ttlMs: 60_000,
          places: [
            [other, 5],
            [key, held],
          ],
        });
      await claim(0, { wanted: 3, ttlMs: 1 });
      await renew(3);
      expect(await claim(1, { wanted: 9 })).toBe(2);
      expect(await claim(1, { key: other, wanted: 9 })).toBe(0);
      await renew(0);
      expect(await claim(1, { held: 2, wanted: 9 })).toBe(3);
    });
  });
}
