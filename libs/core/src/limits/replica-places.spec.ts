import { InMemorySharedPlaces } from '#testing';
import { SILENT } from '../logger.js';
import type { HeldPlaces, PlaceClaim } from '../ports/shared-places.js';
import { CountingServer } from './counting-server.js';
import { ReplicaPlaces } from './replica-places.js';

class Server extends InMemorySharedPlaces {
  readonly claims: [held: number, wanted: number][] = [];
  readonly renewals: HeldPlaces['places'][] = [];
  onRenewed: () => void = () => undefined;
  away = false;

  override async claim(claim: PlaceClaim): Promise<number> {
    this.claims.push([claim.held, claim.wanted]);
    if (this.away) throw new Error('away');
    return super.claim(claim);
  }

  override async renew(held: HeldPlaces): Promise<void> {
    this.renewals.push(held.places);
    await super.renew(held);
    this.onRenewed();
  }

  /** How many places are left, for a holder that has none. */
  left = (most: number): Promise<number> => super.claim({ key: 'k', holder: 'x', held: 0, wanted: most, most, ttlMs: 0 });
}

const opened: ReplicaPlaces[] = [];
const replica = (server: Server, holder: string, renewMs = 60_000): ReplicaPlaces => {
  const places = new ReplicaPlaces(server, new CountingServer(SILENT), { holder, ttlMs: 60_000, renewMs });
  opened.push(places);
  return places;
};
afterEach(() => Promise.all(opened.splice(0).map((places) => places.close())));

const taken = async (asked: readonly Promise<boolean>[]): Promise<number> =>
  (await Promise.all(asked)).filter((admitted) => admitted).length;

it('a burst over two replicas gets exactly what there is, in two questions at most', async () => {
  const server = new Server();
  const both = [replica(server, 'a'), replica(server, 'b')];
  expect(await taken(Array.from({ length: 60 }, (_, i) => (both[i % 2] as ReplicaPlaces).take('k', 20)))).toBe(20);
  expect(server.claims).toEqual([
    [0, 30],
    [0, 30],
  ]);
});

it('a place that is released is free at once for all', async () => {
  const server = new Server();
  const [one, other] = [replica(server, 'a'), replica(server, 'b')];
  expect(await taken([one.take('k', 2), one.take('k', 2)])).toBe(2);
  expect(await other.take('k', 2)).toBe(false);
  one.release('k');
  // Asked in the same turn: what was released before is known before.
  expect(await one.take('k', 2)).toBe(true);
  one.release('k');
  one.release('k');
  await one.close();
  expect(await taken([other.take('k', 2), other.take('k', 2)])).toBe(2);
});

it('counts alone while the server does not answer, from what was taken before, and says so when it is back', async () => {
  const server = new Server();
  const places = replica(server, 'a', 10);
  expect(await places.take('k', 3)).toBe(true);
  server.away = true;
  expect(await taken([places.take('k', 3), places.take('k', 3), places.take('k', 3)])).toBe(2);
  expect(await server.left(3)).toBe(2);
  server.away = false;
  await new Promise<void>((resolve) => (server.onRenewed = resolve));
  expect(await server.left(3)).toBe(0);
  for (let i = 0; i < 3; i += 1) places.release('k');
});

it('says again what it has, for all keys at once, and nothing when it has nothing', async () => {
  const server = new Server();
  const places = replica(server, 'a', 5);
  await Promise.all([places.take('k', 3), places.take('k', 3), places.take('l', 3)]);
  await new Promise<void>((resolve) => (server.onRenewed = resolve));
  expect(server.renewals[0]).toEqual([
    ['k', 2],
    ['l', 1],
  ]);
  for (const key of ['k', 'k']) places.release(key);
  expect(await places.take('l', 3)).toBe(true);
  await new Promise<void>((resolve) => (server.onRenewed = resolve));
  expect(server.renewals.at(-1)).toEqual([['l', 2]]);
});

it('what is taken when it is closed is given back', async () => {
  const server = new Server();
  const places = replica(server, 'a');
  await places.take('k', 3);
  await places.close();
  expect(await server.left(3)).toBe(3);
});
