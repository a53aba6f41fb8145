import { randomBytes } from 'node:crypto';
import { SecretBox, SILENT, StoreUnavailableError } from '#core';
import { InMemoryDatabase, InMemoryNotificationKeyStore } from '#testing';
import { NotificationKeys } from './notification-keys.js';
import { PublishedKeys } from './published-keys.js';

const KEY = randomBytes(32);

function open(database = new InMemoryDatabase(), box = new SecretBox({ key: KEY })) {
  const clock = { ms: 0 };
  const store = new InMemoryNotificationKeyStore(database);
  const keys = new NotificationKeys(store, box, SILENT, () => clock.ms);
  const published = new PublishedKeys(store, () => clock.ms);
  /** Lets time pass for the database and for the process. */
  const pass = (ms: number): void => {
    clock.ms += ms;
    database.advance(ms);
  };
  const publishedIds = async () => (await published.list()).map((key) => (key as { kid: string }).kid);
  return { database, clock, store, keys, published, publishedIds, pass };
}

describe('the key of push notifications', () => {
  it('is made once, by whichever process needs it first, and lies in the database sealed', async () => {
    const { database, keys, publishedIds } = open();
    const others = Array.from({ length: 4 }, () => open(database).keys);
    const ids = await Promise.all([keys, ...others].map(async (one) => (await one.signingKey()).kid));
    expect(new Set(ids).size).toBe(1);
    expect(await publishedIds()).toEqual([ids[0]]);
    const [row] = database.notificationKeys;
    expect(Buffer.from(row!.privateKey).includes('PRIVATE KEY')).toBe(false);
    expect(row!.publicKey).not.toContain('"d"');
    expect(JSON.parse(row!.publicKey)).toMatchObject({ kty: 'EC', crv: 'P-256', alg: 'ES256', use: 'sig' });
  });

  it('is read once in a while, and outlives a database that is away', async () => {
    const { database, keys, published, clock } = open();
    let reads = 0;
    database.gate = (call, phase) => void (call === 'listNotificationKeys' && phase === 'request' && (reads += 1));
    const { kid } = await keys.signingKey();
    expect(await published.list()).toHaveLength(1);
    const before = reads;
    for (let n = 0; n < 10; n += 1) await Promise.all([keys.signingKey(), published.list()]);
    expect(reads).toBe(before);
    database.available = false;
    clock.ms += 31_000;
    expect((await keys.signingKey()).kid).toBe(kid);
    expect(await published.list()).toHaveLength(1);
  });

  it('cannot be had when the database is away from the start', async () => {
    const { database, keys, published } = open();
    database.available = false;
    await expect(keys.signingKey()).rejects.toThrow(StoreUnavailableError);
    await expect(published.list()).rejects.toThrow(StoreUnavailableError);
  });

  it('that comes next is published before it signs, and the one before stays published', async () => {
    const { database, keys, publishedIds, pass } = open();
    const other = open(database);
    const first = (await keys.signingKey()).kid;
    await other.keys.signingKey();
    const next = await keys.rotate({ atOnce: false });
    expect(await publishedIds()).toEqual([next, first]);
    for (const one of [keys, other.keys]) expect((await one.signingKey()).kid).toBe(first);
    pass(599_000);
    other.clock.ms += 599_000;
    for (const one of [keys, other.keys]) expect((await one.signingKey()).kid).toBe(first);
    pass(31_000);
    other.clock.ms += 31_000;
    for (const one of [keys, other.keys]) expect((await one.signingKey()).kid).toBe(next);
    expect(await publishedIds()).toEqual([next, first]);
  });

  it('that was stolen signs nothing any more and is not published', async () => {
    const { keys, publishedIds, pass } = open();
    await keys.signingKey();
    pass(1);
    const next = await keys.rotate({ atOnce: true });
    expect((await keys.signingKey()).kid).toBe(next);
    pass(1001);
    expect(await publishedIds()).toEqual([next]);
  });

  it('that cannot be opened is passed over: another is made, or an older one found', async () => {
    const { database, keys, publishedIds } = open();
    const first = (await keys.signingKey()).kid;
    const elsewhere = open(database, new SecretBox({ key: randomBytes(32) }));
    const theirs = (await elsewhere.keys.signingKey()).kid;
    expect(theirs).not.toBe(first);
    expect((await open(database).keys.signingKey()).kid).toBe(first);
    expect(await publishedIds()).toEqual([theirs, first]);
    expect(database.notificationKeys).toHaveLength(2);
  });

  it('opens after the encryption key was replaced', async () => {
    const { database, keys } = open();
    const { kid } = await keys.signingKey();
    const rotated = open(database, new SecretBox({ key: randomBytes(32), previous: KEY }));
    expect((await rotated.keys.signingKey()).kid).toBe(kid);
  });
});
