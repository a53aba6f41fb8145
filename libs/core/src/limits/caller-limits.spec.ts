import { RateLimitedError } from '#protocol';
import type { Caller } from '../access/caller.js';
import { CallerLimits } from './caller-limits.js';
import { InProcessRateLimiter } from './in-process-rate-limiter.js';

const caller = (principal: string, tenant: string | undefined = 'acme'): Caller => ({
  principal: { id: principal },
  tenant,
  scopes: new Set(),
  agents: undefined,
});
const limiter = (): InProcessRateLimiter => new InProcessRateLimiter(() => 0);
const refusalOf = (promise: Promise<unknown>): Promise<RateLimitedError> =>
  promise.then(
    () => Promise.reject(new Error('was admitted')),
    (error: unknown) => error as RateLimitedError,
  );

it('tells what is left of each limit', async () => {
  const limits = new CallerLimits(limiter(), {
    principal: { requests: 10, seconds: 60 },
    tenant: { requests: 100, seconds: 3600 },
  });
  await limits.admit(caller('ada'));
  expect(await limits.admit(caller('eve'))).toEqual({
    'ratelimit-policy': '"principal";q=10;w=60, "tenant";q=100;w=3600',
    ratelimit: '"principal";r=9;t=6, "tenant";r=98;t=72',
  });
});

it('one principal that has used up its requests hinders no other', async () => {
  const limits = new CallerLimits(limiter(), { principal: { requests: 1, seconds: 60 } });
  await limits.admit(caller('ada'));
  const refusal = await refusalOf(limits.admit(caller('ada')));
  expect(refusal).toBeInstanceOf(RateLimitedError);
  expect(refusal.message).toBe('Too many requests of this principal: 1 within 60 s are permitted');
  expect(refusal.retryAfterMs).toBe(60_000);
  expect(refusal.headers['ratelimit']).toBe('"principal";r=0;t=60');
  await limits.admit(caller('eve'));
  await limits.admit(caller('ada', 'umbrella'));
  await limits.admit(caller('ada', ''));
});

it('the principals of a tenant share its limit, other tenants do not', async () => {
  const limits = new CallerLimits(limiter(), { tenant: { requests: 2, seconds: 60 } });
  await limits.admit(caller('ada'));
  await limits.admit(caller('eve'));
  expect((await refusalOf(limits.admit(caller('joe')))).message).toMatch(/of this tenant/);
  await limits.admit(caller('ada', 'umbrella'));
});

it('a credential for every tenant is limited as a principal only', async () => {
  const limits = new CallerLimits(limiter(), {
    principal: { requests: 2, seconds: 60 },
    tenant: { requests: 1, seconds: 60 },
  });
  const root: Caller = { ...caller('root'), tenant: undefined };
  await limits.admit(root);
  await limits.admit(root);
  expect((await refusalOf(limits.admit(root))).message).toMatch(/of this principal/);
});
