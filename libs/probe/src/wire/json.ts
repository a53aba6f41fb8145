import { WireFault } from './wire-fault.js';

export type Json = string | number | boolean | null | Json[] | JsonObject;
export type JsonObject = { [key: string]: Json | undefined };

/**
 * Parses what an agent sent. Throws WireFault for what is not JSON, and for what is nested deeper than `maxDepth`: everything that
 * walks over the value afterwards may then recurse.
 */
export function parseJson(text: string, maxDepth: number): Json {
  if (depthOf(text) > maxDepth) throw new WireFault(`JSON nested deeper than ${maxDepth}`);
  try {
    return JSON.parse(text) as Json;
  } catch {
    throw new WireFault(`not JSON: ${excerpt(text)}`);
  }
}

/** The deepest nesting of brackets outside strings. */
function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  let inString = false;
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charCodeAt(at);
    if (inString) {
      if (char === 0x5c) at += 1;
      else if (char === 0x22) inString = false;
    } else if (char === 0x22) inString = true;
    else if (char === 0x7b || char === 0x5b) deepest = Math.max(deepest, (depth += 1));
    else if (char === 0x7d || char === 0x5d) depth -= 1;
  }
  return deepest;
}

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** `value[key]` when `value` is an object that has it itself. */
export const member = (value: unknown, key: string): Json | undefined =>
  isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;

/** The value at a path of keys and indexes, or undefined. */
export function at(value: unknown, ...path: (string | number)[]): Json | undefined {
  let here: unknown = value;
  for (const step of path) here = Array.isArray(here) ? here[step as number] : member(here, String(step));
  return here as Json | undefined;
}

export const listOf = (value: unknown): Json[] => (Array.isArray(value) ? (value as Json[]) : []);

/** Independent of the order of keys; absent and undefined are one. */
export function sameJson(a: unknown, b: unknown): boolean {
  return canonical(a) === canonical(b);
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value) ?? 'null';
  const keys = Object.keys(value).filter((key) => value[key] !== undefined);
  return `{${keys
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`)
    .join(',')}}`;
}

/** What a report shows of a text that an agent sent: short, one line, without control characters. */
export function excerpt(text: string, length = 200): string {
  const line = text.slice(0, length + 1).replace(/[\p{C}\s]+/gu, ' ');
  return line.length > length ? `${line.slice(0, length)}…` : line;
}

export const show = (value: unknown): string => excerpt(JSON.stringify(value) ?? 'nothing');
