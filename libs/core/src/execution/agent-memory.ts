import type { JsonValue } from '#protocol';
import { FENCED, MEMORY_LIMITS, type AgentMemoryStore } from '../ports/agent-memory-store.js';
import { StoreUnavailableError } from '../ports/task-store.js';
import type { Fence } from '../ports/turn-store.js';

/** What an agent wants kept is not JSON, or more than may be kept. */
export class AgentLimitError extends Error {
  override readonly name = 'AgentLimitError';
}

/**
 * What the agent remembers of this context: durable, and apart for each tenant, principal, agent and context. Every call rejects with an
 * AbortedTurn once the turn is aborted, and waits while the store is away.
 */
export interface AgentMemory {
  /** The value under `key`; undefined when there is none. */
  get(key: string): Promise<JsonValue | undefined>;
  /**
   * Keeps a value under a key of 1 to 128 characters. Rejects with AgentLimitError for one that is not JSON or is longer than 65,536
   * characters of it, and for a new key when the context has 1,000.
   */
  set(key: string, value: JsonValue): Promise<void>;
  /** True when there was a value. */
  delete(key: string): Promise<boolean>;
  /** The keys that begin with `prefix`, in order; all of them unless it is given. */
  keys(prefix?: string): Promise<readonly string[]>;
}

const FIRST_RETRY_MS = 50;
const LAST_RETRY_MS = 1000;

/** The memory of one turn, under its lease. */
export class TurnMemory implements AgentMemory {
  constructor(
    private readonly store: AgentMemoryStore,
    private readonly fence: Fence,
    private readonly signal: AbortSignal,
    /** The lease is another's; aborts `signal`. */
    private readonly onFenced: () => void,
  ) {}

  async get(key: string): Promise<JsonValue | undefined> {
    const value = await this.#call(() => this.store.get(this.fence, checkedKey(key)));
    return value === undefined ? undefined : (JSON.parse(value) as JsonValue);
  }

  async set(key: string, value: JsonValue): Promise<void> {
    const json = jsonOf(value, MEMORY_LIMITS.valueCharacters, `The value of "${key}"`);
    if ((await this.#call(() => this.store.set(this.fence, checkedKey(key), json))) === 'full')
      throw new AgentLimitError(
        `The context has ${MEMORY_LIMITS.keysPerContext} keys already: delete one before "${key}" is set`,
      );
  }

  async delete(key: string): Promise<boolean> {
    return this.#call(() => this.store.delete(this.fence, checkedKey(key)));
  }

  async keys(prefix = ''): Promise<readonly string[]> {
    return this.#call(() => this.store.keys(this.fence, prefix === '' ? prefix : checkedKey(prefix)));
  }

  /** Until the store has answered or the turn is aborted. */
  async #call<T>(work: () => Promise<T | typeof FENCED>): Promise<T> {
    for (let delay = FIRST_RETRY_MS; ; delay = Math.min(delay * 2, LAST_RETRY_MS)) {
      this.signal.throwIfAborted();
      try {
        const answer = await work();
        if (answer !== FENCED) return answer;
        this.onFenced();
      } catch (error) {
        if (!(error instanceof StoreUnavailableError)) throw error;
        await this.#wait(delay * (0.75 + Math.random() / 2));
      }
    }
  }

  #wait(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        this.signal.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, milliseconds);
      this.signal.addEventListener('abort', done);
    });
  }
}

/** @throws AgentLimitError */
export function jsonOf(value: unknown, mostCharacters: number, what: string): string {
  let json: string | undefined;
  try {
    json = JSON.stringify(value);
  } catch (cause) {
    throw new AgentLimitError(`${what} is not JSON`, { cause });
  }
  if (json === undefined) throw new AgentLimitError(`${what} is not JSON`);
  if (json.length > mostCharacters)
    throw new AgentLimitError(`${what} has ${json.length} characters of JSON, and may have ${mostCharacters}`);
  return json;
}

/** A key that a database keeps as it is: without NUL, and without half of a character. @throws AgentLimitError */
function checkedKey(key: string): string {
  const { keyCharacters } = MEMORY_LIMITS;
  if (typeof key !== 'string' || key === '' || key.length > keyCharacters || key.includes('\0') || !isWellFormed(key))
    throw new AgentLimitError(`A key is a text of 1 to ${keyCharacters} characters`);
  return key;
}

const isWellFormed = (text: string): boolean => !/\p{Surrogate}/u.test(text);
