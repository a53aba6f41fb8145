import type { Struct } from '#protocol';

export type Fields = Readonly<Record<string, unknown>>;

/** What an agent answered does not have the shape that A2A gives it; the message says where. */
export class AnswerShapeError extends Error {
  override readonly name = 'AnswerShapeError';
}

export function fieldsOf(value: unknown, what: string): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new AnswerShapeError(`${what} is not an object`);
  return value as Fields;
}

/** Empty texts are absent: that is what an unset text looks like in the proto. */
export const textOf = (fields: Fields, name: string): string | undefined => {
  const value = fields[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
};

export function listOf<T>(value: unknown, read: (entry: unknown) => T): T[] {
  return Array.isArray(value) ? value.map(read) : [];
}

export const text = <Name extends string>(fields: Fields, name: Name): { [key in Name]?: string } => {
  const value = textOf(fields, name);
  return (value === undefined ? {} : { [name]: value }) as { [key in Name]?: string };
};

export function struct(fields: Fields): { metadata?: Struct } {
  const { metadata } = fields;
  return typeof metadata === 'object' && metadata !== null && !Array.isArray(metadata) ? { metadata: metadata as Struct } : {};
}

export function texts<Name extends string>(fields: Fields, name: Name): { [key in Name]?: string[] } {
  const values = listOf(fields[name], String);
  return (values.length === 0 ? {} : { [name]: values }) as { [key in Name]?: string[] };
}
