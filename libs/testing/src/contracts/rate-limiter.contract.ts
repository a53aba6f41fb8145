import type { RateLimiter } from '#core';
import { eventually } from '../waiting.js';

export interface RateLimitersUnderTest {
  /** A limiter on the same server, as another replica would have it. The suite closes it. */
  open(): RateLimiter;
  close?(): Promise<void>;
}

type Describe = (name: string, suite: () => void) => void;

/** What every `RateLimiter` does while its server is there. */
export function rateLimiterContract(
  name: string,
  start: () => Promise<RateLimitersUnderTest>,
  describeSuite: Describe = describe,
): void {
  describeSuite(`RateLimiter: ${name}`, () => {
    let server: RateLimitersUnderTest;
    let one: RateLimiter;
    let other: RateLimiter;
    let keys = 0;
    let key: string;

    beforeAll(async () => {
      server = await start();
      one = server.open();
      other = server.open();
    });
    beforeEach(() => {
      key = `tenant:acme ü:${(keys += 1)}`;
    });
    afterAll(async () => {
      await Promise.all([one.close(), other.close()]);
      await server.close?.();
    });

    const HOURLY = { requests: 3, seconds: 3600 };

    it('admits as many as a bucket has, says what is left, and refuses the next', async () => {
      const decisions = [await one.take(key, HOURLY), await one.take(key, HOURLY), await one.take(key, HOURLY)];
      expect(decisions.map(({ admitted, remaining }) => [admitted, remaining])).toEqual([
        [true, 2],
        [true, 1],
        [true, 0],
      ]);
      const refused = await one.take(key, HOURLY);
      expect(refused).toMatchObject({ admitted: false, remaining: 0 });
      // A third of an hour until there is one again, an hour until all are.
      expect(refused.retryAfterMs).toBeGreaterThan(1_190_000);
      expect(refused.retryAfterMs).toBeLessThanOrEqual(1_200_001);
      expect(refused.resetMs).toBeGreaterThan(3_590_000);
      expect(refused.resetMs).toBeLessThanOrEqual(3_600_001);
    });

    it('a request that was refused takes nothing', async () => {
      for (let i = 0; i < 3; i += 1) await one.take(key, HOURLY);
      const before = await one.take(key, HOURLY);
      for (let i = 0; i < 5; i += 1) await one.take(key, HOURLY);
      expect((await one.take(key, HOURLY)).retryAfterMs).toBeLessThanOrEqual(before.retryAfterMs);
    });

    it('keys do not share a bucket', async () => {
      for (let i = 0; i < 4; i += 1) await one.take(key, HOURLY);
      expect(await one.take(`${key}'`, HOURLY)).toMatchObject({ admitted: true, remaining: 2 });
    });

    it('replicas share it, to the request, whoever is first', async () => {
      const limit = { requests: 20, seconds: 3600 };
      const asked = Array.from({ length: 60 }, (_, i) => (i % 2 === 0 ? one : other).take(key, limit));
      expect((await Promise.all(asked)).filter(({ admitted }) => admitted)).toHaveLength(20);
    });

    it('fills again', async () => {
      const limit = { requests: 5, seconds: 1 };
      for (let i = 0; i < 5; i += 1) await one.take(key, limit);
      await eventually(async () => (await one.take(key, limit)).admitted);
    });
  });
}
