import canonicalize from 'canonicalize';
import { AGENT_CARD, type Fields, type Shape } from './card-schema.js';

/** What claims to be an agent card has a value of a type that no card has there, so there is no canonical form of it. */
export class CardShapeError extends Error {
  override readonly name = 'CardShapeError';
}

type Json = Readonly<Record<string, unknown>>;

/**
 * The text that a signature of `card` is over: RFC 8785 after the rules of section 8.4.1. What is REQUIRED is there even when
 * the card leaves it out, since protobuf's JSON does; fields that the specification does not have, and `signatures`, are not.
 * @throws CardShapeError for a value of the wrong type, and for text that is not Unicode, of which there is no canonical form.
 */
export function canonicalCard(card: unknown): string {
  const present = messageOf(card, AGENT_CARD, '');
  try {
    return canonicalize(present) as string;
  } catch (error) {
    throw new CardShapeError(`The card has no canonical form: ${(error as Error).message}`);
  }
}

/**
 * The text that the official SDKs sign and verify instead when a card has empty values: those are dropped from it, REQUIRED or not.
 * @throws CardShapeError as `canonicalCard`.
 */
export const strippedCard = (card: unknown): string => canonicalize(stripped(JSON.parse(canonicalCard(card)))) ?? '{}';

/** The names of the fields of `card` that no signature covers, those of nested objects with their path. */
export function uncoveredFields(card: unknown): string[] {
  return isObject(card)
    ? unknownIn(card, { message: { ...AGENT_CARD, signatures: { presence: 'implicit', shape: 'struct' } } }, '')
    : [];
}

/**
 * Paths of empty values that stay in the canonical form. The verifiers of the official SDKs drop every empty text, list and
 * object instead, whatever it stands for, and so find a correct signature of such a card wrong.
 */
export function emptyValues(card: unknown): string[] {
  return emptiesIn(messageOf(card, AGENT_CARD, ''), '');
}

function messageOf(value: unknown, fields: Fields, path: string): Json {
  if (!isObject(value)) throw wrong(path, 'an object');
  const present: [string, unknown][] = [];
  for (const [name, { presence, shape }] of Object.entries(fields)) {
    // As in ProtoJSON, null is absent.
    const given = Object.hasOwn(value, name) ? (value[name] ?? undefined) : undefined;
    if (given === undefined && presence !== 'required') continue;
    const kept = valueOf(given ?? defaultOf(shape), shape, join(path, name));
    if (presence !== 'implicit' || !isDefault(kept)) present.push([name, kept]);
  }
  return Object.fromEntries(present);
}

function valueOf(value: unknown, shape: Shape, path: string): unknown {
  if (shape === 'struct') {
    if (!isObject(value)) throw wrong(path, 'an object');
    return value;
  }
  if (typeof shape === 'string') {
    if (typeof value !== shape) throw wrong(path, shape === 'string' ? 'a text' : 'true or false');
    return value;
  }
  if ('list' in shape) {
    if (!Array.isArray(value)) throw wrong(path, 'a list');
    return value.map((item, index) => valueOf(item, shape.list, `${path}[${index}]`));
  }
  if ('message' in shape) return messageOf(value, shape.message, path);
  if (!isObject(value)) throw wrong(path, 'an object');
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, valueOf(item, shape.map, join(path, key))]));
}

function defaultOf(shape: Shape): unknown {
  if (shape === 'string') return '';
  if (shape === 'boolean') return false;
  return typeof shape === 'object' && 'list' in shape ? [] : {};
}

/** Is it what protobuf leaves out of JSON? Called for texts, booleans, lists and maps. */
const isDefault = (value: unknown): boolean => value === false || isEmpty(value);

const isEmpty = (value: unknown): boolean =>
  value === '' || (Array.isArray(value) ? value.length === 0 : isObject(value) && Object.keys(value).length === 0);

function emptiesIn(value: unknown, path: string): string[] {
  if (value === null || isEmpty(value)) return [path];
  if (Array.isArray(value)) return value.flatMap((item, index) => emptiesIn(item, `${path}[${index}]`));
  return isObject(value) ? Object.entries(value).flatMap(([key, item]) => emptiesIn(item, join(path, key))) : [];
}

/** Undefined when nothing is left. */
function stripped(value: unknown): unknown {
  if (Array.isArray(value)) return nothingIfEmpty(value.map(stripped).filter((item) => item !== undefined));
  if (!isObject(value)) return value === null || value === '' ? undefined : value;
  const kept = Object.entries(value).map(([key, item]) => [key, stripped(item)] as const);
  return nothingIfEmpty(Object.fromEntries(kept.filter(([, item]) => item !== undefined)));
}

const nothingIfEmpty = (value: object): unknown => (isEmpty(value) ? undefined : value);

function unknownIn(value: unknown, shape: Shape, path: string): string[] {
  if (typeof shape === 'string') return [];
  if ('list' in shape) {
    return Array.isArray(value) ? value.flatMap((item, index) => unknownIn(item, shape.list, `${path}[${index}]`)) : [];
  }
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, item]) => {
    if ('map' in shape) return unknownIn(item, shape.map, join(path, key));
    const field = Object.hasOwn(shape.message, key) ? shape.message[key] : undefined;
    return field ? unknownIn(item, field.shape, join(path, key)) : [join(path, key)];
  });
}

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value);

const join = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);

const wrong = (path: string, expected: string): CardShapeError =>
  new CardShapeError(`The card has no canonical form: ${path === '' ? 'it' : path} is not ${expected}`);
