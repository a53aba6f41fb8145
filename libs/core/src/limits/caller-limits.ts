import { RateLimitedError, secondsOf } from '#protocol';
import type { Caller } from '../access/caller.js';
import type { RateDecision, RateLimit, RateLimiter } from '../ports/rate-limiter.js';

export interface CallerLimitSettings {
  /** For all principals of a tenant together. */
  readonly tenant?: RateLimit | undefined;
  /** For each principal. */
  readonly principal?: RateLimit | undefined;
}

/** Header fields by names in lower case. */
type Headers = Readonly<Record<string, string>>;

interface Counted {
  readonly name: string;
  readonly limit: RateLimit;
  readonly decision: RateDecision;
}

/** How many requests a caller may send, and what it is told of that. */
export class CallerLimits {
  constructor(
    private readonly limiter: RateLimiter,
    private readonly settings: CallerLimitSettings,
  ) {}

  /**
   * Counts one request. Resolves with the header fields that tell the caller what is left (RateLimit and RateLimit-Policy, as in
   * draft-ietf-httpapi-ratelimit-headers). Rejects with RateLimitedError when nothing is.
   */
  async admit({ tenant, principal }: Caller): Promise<Headers> {
    const counted = await Promise.all([
      this.#count('principal', this.settings.principal, `principal:${tenant ?? '*'}:${principal.id}`),
      // A credential for every tenant is no tenant's.
      tenant === undefined ? undefined : this.#count('tenant', this.settings.tenant, `tenant:${tenant}`),
    ]);
    const asked = counted.filter((one) => one !== undefined);
    const headers = headersOf(asked);
    const refusals = asked.filter(({ decision }) => !decision.admitted);
    if (refusals.length === 0) return headers;
    const { name, limit, decision } = refusals.reduce((a, b) => (b.decision.retryAfterMs > a.decision.retryAfterMs ? b : a));
    throw new RateLimitedError(
      `Too many requests of this ${name}: ${limit.requests} within ${limit.seconds} s are permitted`,
      decision.retryAfterMs,
      headers,
    );
  }

  async #count(name: string, limit: RateLimit | undefined, key: string): Promise<Counted | undefined> {
    return limit && { name, limit, decision: await this.limiter.take(key, limit) };
  }
}

function headersOf(counted: readonly Counted[]): Headers {
  const list = (text: (one: Counted) => string): string => counted.map((one) => `"${one.name}";${text(one)}`).join(', ');
  return {
    'ratelimit-policy': list(({ limit }) => `q=${limit.requests};w=${limit.seconds}`),
    ratelimit: list(({ decision }) => `r=${decision.remaining};t=${resetOf(decision)}`),
  };
}

/** Seconds until more requests are admitted than now. */
const resetOf = ({ admitted, retryAfterMs, resetMs }: RateDecision): number => secondsOf(admitted ? resetMs : retryAfterMs);
