/** A bucket of `requests` that fills again, evenly, within `seconds`. */
export interface RateLimit {
  readonly requests: number;
  readonly seconds: number;
}

/** What became of one request. */
export interface RateDecision {
  readonly admitted: boolean;
  /** Requests that would be admitted at once after this one. */
  readonly remaining: number;
  /** Until the bucket is full again, in milliseconds. */
  readonly resetMs: number;
  /** Until a request is admitted, in milliseconds; 0 when one would be now. */
  readonly retryAfterMs: number;
}

/** Counts requests by key, in buckets that every replica takes from. Time is the server's, so that replicas need not agree on theirs. */
export abstract class RateLimiter {
  /** Takes one request from the bucket of `key`, unless there is none. Rejects when the server does not answer. */
  abstract take(key: string, limit: RateLimit): Promise<RateDecision>;
  abstract close(): Promise<void>;
}

/**
 * A bucket is one number: `debtMs`, the time in which it would be full again (the generic cell rate algorithm). A request adds its
 * share of the period, and is refused when that exceeds the period. `debtMs` is as the request leaves it.
 */
export function decisionOf(admitted: boolean, debtMs: number, { requests, seconds }: RateLimit): RateDecision {
  const periodMs = seconds * 1000;
  const shareMs = periodMs / requests;
  const missingMs = debtMs + shareMs - periodMs;
  // Servers count in microseconds: what is missing by less than one is not.
  const remaining = Math.max(0, Math.floor((periodMs - debtMs) / shareMs + 0.001));
  return { admitted, remaining, resetMs: Math.max(0, debtMs), retryAfterMs: remaining > 0 ? 0 : Math.max(0, missingMs) };
}
