import { InvalidParamsError, type FieldViolation } from '#protocol';

type Kind = 'text' | 'boolean' | 'number';

interface Values {
  readonly text: string;
  readonly boolean: boolean;
  readonly number: number;
}

type Read<Shape extends Readonly<Record<string, Kind>>> = {
  readonly [Field in keyof Shape]?: Values[Shape[Field]];
};

/**
 * The fields of a body or a query. Unlike those of A2A, unknown ones are refused: a misspelt filter would mean more than was
 * meant. Throws InvalidParamsError with one violation per fault.
 */
export function fieldsOf<const Shape extends Readonly<Record<string, Kind>>>(input: unknown, shape: Shape): Read<Shape> {
  const given = (input ?? {}) as Readonly<Record<string, unknown>>;
  const faults = Object.entries(given).flatMap(([field, value]): FieldViolation[] => {
    const kind = Object.hasOwn(shape, field) ? shape[field] : undefined;
    if (kind === undefined) return [{ field, description: `is not known here; known: ${Object.keys(shape).join(', ')}` }];
    return FITS[kind](value) ? [] : [{ field, description: MUST[kind] }];
  });
  if (faults.length > 0) throw new InvalidParamsError(faults);
  return given as Read<Shape>;
}

const MOST_CHARACTERS = 1024;
/** What an `integer` of Postgres holds. */
const MOST = 2_147_483_647;

const isText = (value: unknown): boolean =>
  typeof value === 'string' && value.length <= MOST_CHARACTERS && !/\p{Cc}|\p{Cs}/u.test(value);

const FITS: Readonly<Record<Kind, (value: unknown) => boolean>> = {
  text: isText,
  boolean: (value) => typeof value === 'boolean',
  number: (value) => Number.isSafeInteger(value) && (value as number) >= 1 && (value as number) <= MOST,
};

const MUST: Readonly<Record<Kind, string>> = {
  text: 'must be one text without control characters',
  boolean: 'must be true or false',
  number: `must be a whole number from 1 to ${MOST}`,
};

/** The fields of a query, which are all texts, as those of a body. Throws as `fieldsOf`. */
export function queryFieldsOf<const Shape extends Readonly<Record<string, Kind>>>(
  query: Readonly<Record<string, unknown>>,
  shape: Shape,
): Read<Shape> {
  const parsed = Object.entries(query).map(([field, value]): [string, unknown] => {
    const kind = Object.hasOwn(shape, field) ? shape[field] : undefined;
    if (kind === 'boolean' && (value === 'true' || value === 'false')) return [field, value === 'true'];
    return [field, kind === 'number' && typeof value === 'string' && /^\d{1,10}$/.test(value) ? Number(value) : value];
  });
  return fieldsOf(Object.fromEntries(parsed), shape);
}
