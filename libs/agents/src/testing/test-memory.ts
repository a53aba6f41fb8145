import type { AgentMemory } from '#core';
import type { JsonValue } from '#protocol';

/** A memory for tests: in this process, without the bounds of the real one. Values go through JSON, as they do there. */
export class TestMemory implements AgentMemory {
  readonly #values = new Map<string, string>();

  constructor(values: Readonly<Record<string, JsonValue>> = {}) {
    for (const [key, value] of Object.entries(values)) this.#values.set(key, JSON.stringify(value));
  }

  async get(key: string): Promise<JsonValue | undefined> {
    const json = this.#values.get(key);
    return json === undefined ? undefined : (JSON.parse(json) as JsonValue);
  }

  async set(key: string, value: JsonValue): Promise<void> {
    this.#values.set(key, JSON.stringify(value));
  }

  async delete(key: string): Promise<boolean> {
    return this.#values.delete(key);
  }

  async keys(prefix = ''): Promise<readonly string[]> {
    return [...this.#values.keys()].filter((key) => key.startsWith(prefix)).sort();
  }
}
