import * as fc from 'fast-check';

/** Characters that have broken something somewhere: quotes, controls, NUL, separators of lines, halves of surrogate pairs. */
const ODD = [
  '\0',
  '\ud800',
  '\udfff',
  '\ud83d\ude00',
  '"',
  '\\',
  '\\u0000',
  '\n',
  '\r\n',
  '\u2028',
  '\x7f',
  '\ufeff',
  '\uffff',
  'ä',
  "'",
  '%00',
  '{',
  ' ',
];
/** Names that objects have without being given them. */
const ODD_KEYS = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'toJSON',
  '',
  '0',
  '@type',
  'kind',
  'message',
  'then',
];
const ODD_NUMBERS = [0, -0, 1.5, 1e21, -1e-7, 2 ** 31, 2 ** 53, -(2 ** 63), Number.MAX_VALUE, Number.MIN_VALUE, 0.1 + 0.2];

/** Any string of JavaScript, those that are no text in UTF-8 among them. */
export const anyText: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: fc.string({ maxLength: 12 }) },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 12 }) },
  { weight: 2, arbitrary: fc.array(fc.constantFrom(...ODD, 'a'), { maxLength: 8 }).map((all) => all.join('')) },
);

const anyKey = fc.oneof({ weight: 2, arbitrary: anyText }, { weight: 1, arbitrary: fc.constantFrom(...ODD_KEYS) });
const anyNumber = fc.oneof(fc.constantFrom(...ODD_NUMBERS), fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }));

/** An object as `JSON.parse` makes it: `__proto__` is a key like any other. */
export function objectOf(entries: readonly (readonly [string, unknown])[]): Record<string, unknown> {
  const object: Record<string, unknown> = {};
  for (const [key, value] of entries) {
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
  }
  return object;
}

const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    { weight: 3, arbitrary: fc.oneof(fc.constant(null), fc.boolean(), anyNumber, anyText) },
    { weight: 1, arbitrary: fc.array(tie('value'), { maxLength: 4 }) },
    { weight: 1, arbitrary: fc.array(fc.tuple(anyKey, tie('value')), { maxLength: 4 }).map(objectOf) },
  ),
}));

/** Any JSON value. */
export const anyJson: fc.Arbitrary<unknown> = value;

export const anyObject = fc.array(fc.tuple(anyKey, anyJson), { maxLength: 4 }).map(objectOf);

export const unlikely = <T>(likely: fc.Arbitrary<T>, other: fc.Arbitrary<unknown> = anyJson): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 12, arbitrary: likely }, { weight: 1, arbitrary: other });

/** Text with a piece of it replaced, so that it is nearly what it was. */
export const damaged = (text: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc
    .tuple(text, fc.nat(), fc.nat({ max: 5 }), fc.oneof(anyText, fc.constantFrom('1e400', '12345678901234567890', ',', '}', '[')))
    .map(([whole, at, length, piece]) => {
      const start = whole.length === 0 ? 0 : at % whole.length;
      return whole.slice(0, start) + piece + whole.slice(start + length);
    });

/** A JSON value as it comes back from JSON text in UTF-8: half a surrogate pair is U+FFFD, and zero has no sign. */
export function asWritten(value: unknown): unknown {
  if (typeof value === 'string') return Buffer.from(value).toString();
  if (value === 0) return 0;
  if (Array.isArray(value)) return value.map(asWritten);
  if (typeof value !== 'object' || value === null) return value;
  return objectOf(Object.entries(value).map(([key, item]) => [asWritten(key) as string, asWritten(item)]));
}
