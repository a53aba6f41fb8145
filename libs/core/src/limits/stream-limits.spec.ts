import { RateLimitedError } from '#protocol';
import type { Caller } from '../access/caller.js';
import type { Frame, FrameStream } from '../request-handler.js';
import { StreamLimits } from './stream-limits.js';

/** Places of one replica that has no others. */
class Places {
  readonly taken = new Map<string, number>();

  async take(key: string, most: number): Promise<boolean> {
    const taken = this.taken.get(key) ?? 0;
    if (taken < most) this.taken.set(key, taken + 1);
    return taken < most;
  }

  release(key: string): void {
    this.taken.set(key, (this.taken.get(key) ?? 0) - 1);
  }
}

const caller = (principal: string, tenant: string | undefined = 'acme'): Caller => ({
  principal: { id: principal },
  tenant,
  scopes: new Set(),
  agents: undefined,
});

class Stream implements FrameStream {
  closed = 0;

  close(): void {
    this.closed += 1;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<readonly Frame[]> {
    yield [{ sequence: 1, payload: '{}' as Frame['payload'] }];
    yield [{ sequence: 2, payload: '{}' as Frame['payload'] }];
  }
}

let places: Places;
beforeEach(() => {
  places = new Places();
});
const open = (limits: StreamLimits, who: Caller): Promise<FrameStream> => limits.open(who, async () => new Stream());
const refusalOf = (promise: Promise<unknown>): Promise<RateLimitedError> =>
  promise.then(
    () => Promise.reject(new Error('was admitted')),
    (error: unknown) => error as RateLimitedError,
  );

it('one stream too many is refused before it is opened, and says which limit that was', async () => {
  const limits = new StreamLimits(places, { principal: 1 });
  await open(limits, caller('ada'));
  let started = false;
  const refusal = await refusalOf(
    limits.open(caller('ada'), async () => {
      started = true;
      return new Stream();
    }),
  );
  expect(started).toBe(false);
  expect(refusal).toBeInstanceOf(RateLimitedError);
  expect(refusal.message).toBe('Too many streams of this principal: 1 at a time are permitted');
  expect(refusal.info).toEqual({ retryAfterSeconds: '5', limit: 'principal-streams' });
  expect(refusal.headers).toEqual({
    'ratelimit-policy': '"principal-streams";q=1;qu="concurrent-requests"',
    ratelimit: '"principal-streams";r=0;t=5',
  });
  await open(limits, caller('eve'));
  await open(limits, caller('ada', 'umbrella'));
});

it('the principals of a tenant share its limit; one that is refused by it keeps no place of its own', async () => {
  const limits = new StreamLimits(places, { principal: 2, tenant: 1 });
  const first = await open(limits, caller('ada'));
  for (let i = 0; i < 3; i += 1) expect((await refusalOf(open(limits, caller('eve')))).message).toMatch(/of this tenant/);
  first.close();
  await open(limits, caller('eve'));
  await open(limits, caller('eve', 'umbrella'));
});

it('a credential for every tenant is limited as a principal only', async () => {
  const limits = new StreamLimits(places, { principal: 2, tenant: 1 });
  const root: Caller = { ...caller('root'), tenant: undefined };
  await open(limits, root);
  await open(limits, root);
  expect((await refusalOf(open(limits, root))).message).toMatch(/of this principal/);
});

describe('a place comes back once', () => {
  const count = (): number => places.taken.get('principal:acme:ada') ?? 0;
  let limits: StreamLimits;
  beforeEach(() => {
    limits = new StreamLimits(places, { principal: 5 });
  });

  it('when the stream ends, whatever is closed after that', async () => {
    const stream = await open(limits, caller('ada'));
    const frames: Frame[] = [];
    for await (const batch of stream) frames.push(...batch);
    expect(frames.map(({ sequence }) => sequence)).toEqual([1, 2]);
    expect(count()).toBe(0);
    stream.close();
    expect(count()).toBe(0);
  });

  it('when nobody reads it any more', async () => {
    for await (const _ of await open(limits, caller('ada'))) break;
    expect(count()).toBe(0);
  });

  it('when it is closed unread, and that closes the stream', async () => {
    const inner = new Stream();
    const stream = await limits.open(caller('ada'), async () => inner);
    stream.close();
    expect(inner.closed).toBe(1);
    expect(count()).toBe(0);
  });

  it('when it could not be opened', async () => {
    await expect(limits.open(caller('ada'), () => Promise.reject(new Error('no such task')))).rejects.toThrow('no such task');
    expect(count()).toBe(0);
  });
});
