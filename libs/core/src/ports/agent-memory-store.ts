import type { Fence } from './turn-store.js';

/** The bounds of what an agent may remember. Characters are UTF-16 code units; a value's are those of its JSON. */
export const MEMORY_LIMITS = { keyCharacters: 128, valueCharacters: 65_536, keysPerContext: 1000 } as const;

/** The lease that the caller presents is another's, or the task has ended: nothing was read or written. */
export const FENCED = 'fenced';

/**
 * What agents remember of a context: values under keys, for each tenant, principal, agent and context apart. The fence says whose they
 * are, and only the holder of its lease reads or writes: a worker that was displaced changes nothing. Every method rejects with
 * StoreUnavailableError when its outcome is unknown, and may be repeated.
 */
export abstract class AgentMemoryStore {
  /** The value's JSON, or undefined. */
  abstract get(fence: Fence, key: string): Promise<string | undefined | typeof FENCED>;

  /**
   * Replaces the value. `full`: the key is new and the context has `keysPerContext` of them; turns of one context that write at the same
   * moment may exceed that by their number.
   */
  abstract set(fence: Fence, key: string, value: string): Promise<'written' | 'full' | typeof FENCED>;

  /** True when there was a value. */
  abstract delete(fence: Fence, key: string): Promise<boolean | typeof FENCED>;

  /** The keys that begin with `prefix`, in order of their code points. */
  abstract keys(fence: Fence, prefix: string): Promise<readonly string[] | typeof FENCED>;
}
