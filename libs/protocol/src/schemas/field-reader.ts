import type { Struct } from '../types.js';
import type { Faults } from './faults.js';
import { isJsonObject, jsonValueFault } from './json-value.js';
import type { JsonObject } from './json-value.js';
import { LIMIT_VARIABLES, type Limits } from './limits.js';

const MAX_INT32 = 2_147_483_647;
const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

type ListLimit = 'maxParts' | 'maxListItems';

const snakeNames = new Map<string, string>();

/** The field's name in the proto, which ProtoJSON accepts on input beside the camelCase one. */
function snakeNameOf(name: string): string {
  let snake = snakeNames.get(name);
  if (snake === undefined) {
    snake = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    snakeNames.set(name, snake);
  }
  return snake;
}

/** Why `text` may not be an id, or undefined when it may. Ids go to text columns, which take neither NUL nor half a character. */
export function idFault(text: string, limits: Limits): string | undefined {
  if (text.length > limits.maxIdLength)
    return `must have at most ${limits.maxIdLength} characters (limit ${LIMIT_VARIABLES.maxIdLength})`;
  if (text.includes('\0') || /\p{Surrogate}/u.test(text)) return 'must not contain NUL or unpaired surrogates';
  return undefined;
}

/**
 * Reads one message's fields as ProtoJSON allows them: by camelCase or proto name, `null` as absent, integers as strings.
 * A field that is wrong becomes a fault under its wire path and reads as absent; unknown fields are never looked at.
 * Paths are put together where objects are entered, so a valid request pays for few of them.
 */
export class FieldReader {
  constructor(
    private readonly object: JsonObject,
    readonly path: string,
    readonly faults: Faults,
    readonly limits: Limits,
    /** Query strings hold integers and booleans as text, and `""` for what was left empty. */
    private readonly fromQuery = false,
  ) {}

  /** A reader of the request itself. An absent or null one has no fields; anything but an object is a fault. */
  static ofRequest(input: unknown, faults: Faults, limits: Limits, fromQuery = false): FieldReader {
    const isObject = isJsonObject(input);
    if (!isObject && input !== undefined && input !== null) faults.add('', 'The request must be an object');
    return new FieldReader(isObject ? input : {}, '', faults, limits, fromQuery);
  }

  fault(name: string, description: string): undefined {
    this.faults.add(this.pathOf(name), description);
    return undefined;
  }

  pathOf(name: string): string {
    return this.path === '' ? name : `${this.path}.${name}`;
  }

  /** The field as it is, `null` when it was sent as such. Reports a field that came under both its names: read each field once. */
  raw(name: string): unknown {
    const value = this.object[name];
    const snake = snakeNameOf(name);
    if (snake === name) return value;
    const other = this.object[snake];
    if (other === undefined) return value;
    if (value !== undefined) this.fault(name, `is given twice, also as ${snake}`);
    return value ?? other;
  }

  value(name: string): unknown {
    const value = this.raw(name);
    if (value === null || (this.fromQuery && value === '')) return undefined;
    if (this.fromQuery && Array.isArray(value)) {
      this.fault(name, 'is given more than once');
      return value[0];
    }
    return value;
  }

  /** A string that may be empty. */
  text(name: string, value = this.value(name)): string | undefined {
    if (value === undefined || typeof value === 'string') return value;
    return this.fault(name, 'must be a string');
  }

  /** A string, absent when empty, as it is for every string of the proto without presence. */
  string(name: string): string | undefined {
    const value = this.text(name);
    return value === '' ? undefined : value;
  }

  requiredString(name: string): string {
    const value = this.value(name);
    if (typeof value === 'string' && value !== '') return value;
    this.fault(name, value === undefined || value === '' ? 'is required and must not be empty' : 'must be a string');
    return '';
  }

  id(name: string): string | undefined {
    const value = this.string(name);
    return value === undefined ? undefined : this.checkedId(name, value);
  }

  requiredId(name: string): string {
    return this.checkedId(name, this.requiredString(name)) ?? '';
  }

  /** An integer. Beyond 32 bits it is clamped: what it bounds has fewer elements than that. */
  integer(name: string): number | undefined {
    const value = this.value(name);
    if (value === undefined) return undefined;
    const number = typeof value === 'string' && JSON_NUMBER.test(value) ? Number(value) : value;
    // 1e400 is an integer too, though JSON.parse makes it Infinity.
    if (typeof number !== 'number' || !(Number.isInteger(number) || Math.abs(number) === Infinity)) {
      return this.fault(name, 'must be an integer');
    }
    return Math.max(-MAX_INT32 - 1, Math.min(number, MAX_INT32));
  }

  boolean(name: string): boolean | undefined {
    const value = this.value(name);
    if (value === undefined || typeof value === 'boolean') return value;
    if (this.fromQuery && (value === 'true' || value === 'false')) return value === 'true';
    return this.fault(name, 'must be true or false');
  }

  /** The name of an enum's value, or its number; `undefined` for the unspecified one, which is number 0. */
  enumeration<Name extends string>(name: string, unspecified: string, numbers: Readonly<Record<Name, number>>): Name | undefined {
    const value = this.value(name);
    if (value === undefined || value === unspecified) return undefined;
    if (typeof value === 'string' && Object.hasOwn(numbers, value)) return value as Name;
    const number = this.fromQuery && typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
    if (number === 0) return undefined;
    const names = Object.keys(numbers) as Name[];
    const named = names.find((candidate) => numbers[candidate] === number);
    return named ?? this.fault(name, `must be one of ${names.join(', ')}`);
  }

  struct(name: string): Struct | undefined {
    const value = this.value(name);
    if (value === undefined) return undefined;
    if (!isJsonObject(value)) return this.fault(name, 'must be an object');
    return this.checkedJson(name, value) as Struct | undefined;
  }

  /** A google.protobuf.Value; `value` is what `raw` answered, since `null` is one. */
  checkedJson(name: string, value: unknown): unknown {
    const { maxMetadataDepth } = this.limits;
    const fault = jsonValueFault(value, maxMetadataDepth);
    if (fault === undefined) return value;
    if (fault === 'not finite') return this.fault(name, 'must not hold a number beyond the range of a double');
    return this.fault(name, `must be nested at most ${maxMetadataDepth} levels deep (limit ${LIMIT_VARIABLES.maxMetadataDepth})`);
  }

  /** A repeated string, absent when empty. */
  strings(name: string, itemFault?: (item: string, limits: Limits) => string | undefined): string[] | undefined {
    const items = this.list(name, 'maxListItems');
    if (items === undefined || items.length === 0) return undefined;
    items.forEach((item, index) => {
      const fault = typeof item === 'string' ? itemFault?.(item, this.limits) : 'must be a string';
      if (fault) this.fault(`${name}[${index}]`, fault);
    });
    return items as string[];
  }

  /** A nested message. */
  message(name: string, value = this.value(name)): FieldReader | undefined {
    return value === undefined ? undefined : this.enter(name, value);
  }

  /** A repeated message that must not be empty; items that are no objects are faults and left out. */
  requiredMessages(name: string, limit: ListLimit): FieldReader[] {
    const value = this.value(name);
    if (value === undefined || (Array.isArray(value) && value.length === 0)) this.fault(name, 'must have at least one element');
    const readers: FieldReader[] = [];
    this.list(name, limit, value)?.forEach((item, index) => {
      const reader = this.enter(`${name}[${index}]`, item);
      if (reader) readers.push(reader);
    });
    return readers;
  }

  private list(name: string, limit: ListLimit, value = this.value(name)): readonly unknown[] | undefined {
    if (value === undefined) return undefined;
    if (!Array.isArray(value)) return this.fault(name, 'must be an array');
    if (value.length <= this.limits[limit]) return value;
    const variable = limit === 'maxParts' ? ` (limit ${LIMIT_VARIABLES[limit]})` : '';
    return this.fault(name, `must have at most ${this.limits[limit]} elements${variable}`);
  }

  private enter(name: string, value: unknown): FieldReader | undefined {
    if (!isJsonObject(value)) return this.fault(name, 'must be an object');
    return new FieldReader(value, this.pathOf(name), this.faults, this.limits);
  }

  private checkedId(name: string, value: string): string | undefined {
    const fault = idFault(value, this.limits);
    return fault === undefined ? value : this.fault(name, fault);
  }
}
