/** What the agent did to the connection or sent over it is not usable: too slow, too large, broken off, or not the format at all. */
export class WireFault extends Error {
  override readonly name = 'WireFault';
}

/** What the prober bears of an agent before it gives up; bytes, milliseconds and counts. */
export interface WireLimits {
  /** For a whole exchange, from the connection to the last byte. */
  readonly timeoutMs: number;
  readonly maxBytes: number;
  /** Nesting of a JSON or protobuf document. */
  readonly maxDepth: number;
  readonly maxFrames: number;
}

export const DEFAULT_WIRE_LIMITS: WireLimits = Object.freeze({
  timeoutMs: 10_000,
  maxBytes: 8 * 1024 * 1024,
  maxDepth: 64,
  maxFrames: 10_000,
});
