import { InvalidParamsError, type FieldViolation } from '#protocol';

type Kind = 'text' | 'boolean';

type Read<Shape extends Readonly<Record<string, Kind>>> = {
  readonly [Field in keyof Shape]?: Shape[Field] extends 'text' ? string : boolean;
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
    const fits = kind === 'text' ? isText(value) : typeof value === 'boolean';
    return fits
      ? []
      : [{ field, description: kind === 'text' ? 'must be one text without control characters' : 'must be true or false' }];
  });
  if (faults.length > 0) throw new InvalidParamsError(faults);
  return given as Read<Shape>;
}

const MOST_CHARACTERS = 1024;

const isText = (value: unknown): boolean =>
  typeof value === 'string' && value.length <= MOST_CHARACTERS && !/\p{Cc}|\p{Cs}/u.test(value);
