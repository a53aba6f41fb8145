import type { JsonValue } from '../types.js';

export type JsonObject = Readonly<Record<string, unknown>>;

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Why `value` cannot be a google.protobuf.Value of at most `depth` levels, or undefined when it can. Keys are data,
 * `__proto__` too: nothing is copied, so nothing can be polluted.
 */
export function jsonValueFault(value: unknown, depth: number): 'too deep' | 'not finite' | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : 'not finite';
  if (typeof value !== 'object' || value === null) return undefined;
  // Recursion ends at the limit, so a body of a million brackets cannot exhaust the stack.
  if (depth <= 0) return 'too deep';
  if (Array.isArray(value)) {
    for (const item of value as JsonValue[]) {
      const fault = jsonValueFault(item, depth - 1);
      if (fault) return fault;
    }
    return undefined;
  }
  for (const key of Object.keys(value)) {
    const fault = jsonValueFault((value as JsonObject)[key], depth - 1);
    if (fault) return fault;
  }
  return undefined;
}
