import { RateLimitedError, secondsOf } from '#protocol';
import type { Caller } from '../access/caller.js';
import type { Frame, FrameStream } from '../request-handler.js';
import type { ReplicaPlaces } from './replica-places.js';

export interface StreamLimitSettings {
  /** Most streams of all principals of a tenant together, at a time. */
  readonly tenant?: number | undefined;
  /** The same for each principal. */
  readonly principal?: number | undefined;
}

/** When a stream ends nobody knows; this keeps clients that wait for it from asking in a tight loop. */
const RETRY_AFTER_MS = 5000;

interface Counted {
  readonly name: 'principal' | 'tenant';
  readonly most: number;
  readonly key: string;
}

/** How many streams a caller may have open at a time. */
export class StreamLimits {
  constructor(
    private readonly places: Pick<ReplicaPlaces, 'take' | 'release'>,
    private readonly settings: StreamLimitSettings,
  ) {}

  /**
   * The stream that `start` opens, counted until it ends or is closed. Rejects with RateLimitedError when the caller has as many as it may; then
   * `start` was not called.
   */
  async open(caller: Caller, start: () => Promise<FrameStream>): Promise<FrameStream> {
    const taken: Counted[] = [];
    const release = (): void => taken.forEach(({ key }) => this.places.release(key));
    try {
      // One after the other: places of the tenant that a principal's surplus took for a moment would be missing to the others.
      for (const one of this.#countedFor(caller)) {
        if (!(await this.places.take(one.key, one.most))) throw refusalOf(one);
        taken.push(one);
      }
      return new CountedStream(await start(), release);
    } catch (error) {
      release();
      throw error;
    }
  }

  #countedFor({ tenant, principal }: Caller): Counted[] {
    const counted: Counted[] = [];
    const { settings } = this;
    if (settings.principal !== undefined) {
      counted.push({ name: 'principal', most: settings.principal, key: `principal:${tenant ?? '*'}:${principal.id}` });
    }
    // A credential for every tenant is no tenant's.
    if (settings.tenant !== undefined && tenant !== undefined) {
      counted.push({ name: 'tenant', most: settings.tenant, key: `tenant:${tenant}` });
    }
    return counted;
  }
}

/** The header fields are those of draft-ietf-httpapi-ratelimit-headers; the policy's unit is registered there. */
function refusalOf({ name, most }: Counted): RateLimitedError {
  const policy = `${name}-streams`;
  return new RateLimitedError(
    `Too many streams of this ${name}: ${most} at a time are permitted`,
    RETRY_AFTER_MS,
    {
      'ratelimit-policy': `"${policy}";q=${most};qu="concurrent-requests"`,
      ratelimit: `"${policy}";r=0;t=${secondsOf(RETRY_AFTER_MS)}`,
    },
    { limit: policy },
  );
}

class CountedStream implements FrameStream {
  #released = false;

  constructor(
    private readonly stream: FrameStream,
    private readonly release: () => void,
  ) {}

  close(): void {
    this.stream.close();
    if (this.#released) return;
    this.#released = true;
    this.release();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<readonly Frame[]> {
    try {
      yield* this.stream;
    } finally {
      this.close();
    }
  }
}
