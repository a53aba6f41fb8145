import { RateLimitedError } from '#protocol';
import type { RateLimit, RateLimiter } from '../ports/rate-limiter.js';

/** Addresses and credentials come from whoever tries: they must not fill the memory. */
const MOST_KNOWN = 10_000;

/**
 * Slows down whoever tries credentials. Failures count by client address, over all replicas; once an address has had too many, what it
 * sends is refused unseen until the next attempt is due. A credential that has been valid here before is looked at nevertheless:
 * one guesser must not lock out those who share its address.
 */
export class FailedCredentials {
  /** Until when an address is refused, in milliseconds of `now`. */
  readonly #refusedUntil = new Map<string, number>();
  readonly #valid = new Set<string>();

  constructor(
    private readonly limiter: RateLimiter,
    private readonly limit: RateLimit,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Throws RateLimitedError while `address` is refused, unless `credential` has been valid before. */
  requirePatience(address: string, credential: string): void {
    const until = this.#refusedUntil.get(address);
    if (until === undefined || this.#valid.has(credential)) return;
    const leftMs = until - this.now();
    if (leftMs > 0) throw tooMany(leftMs);
    this.#refusedUntil.delete(address);
  }

  succeeded(credential: string): void {
    if (this.#valid.has(credential)) return;
    makeRoom(this.#valid);
    this.#valid.add(credential);
  }

  /** Counts a credential that was not valid. Rejects with RateLimitedError when it was one too many: then nobody is told that it was wrong. */
  async failed(address: string, credential: string): Promise<void> {
    this.#valid.delete(credential);
    const { admitted, retryAfterMs } = await this.limiter.take(`failed:${address}`, this.limit);
    if (admitted) return;
    makeRoom(this.#refusedUntil);
    this.#refusedUntil.set(address, this.now() + retryAfterMs);
    throw tooMany(retryAfterMs);
  }
}

/** Makes room for one more by leaving out the oldest. */
function makeRoom(known: Map<string, unknown> | Set<string>): void {
  if (known.size >= MOST_KNOWN) known.delete(known.keys().next().value as string);
}

const tooMany = (retryAfterMs: number): RateLimitedError =>
  new RateLimitedError('Too many credentials from this address were not valid', retryAfterMs);
