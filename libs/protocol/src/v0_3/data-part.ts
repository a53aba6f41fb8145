import type { JsonValue, Struct } from '../types.js';

/**
 * The data of a 0.3 part is an object, that of 1.0 any value. What is no object travels as `{ value }`, and this member of the
 * part's metadata, which official SDKs use too, tells it from an object that happens to look so.
 */
const WRAPPED = 'data_part_compat';

interface Data {
  readonly data: unknown;
  readonly metadata: unknown;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** As 0.3 can carry it. */
export function wrapData(data: JsonValue, metadata: Struct | undefined): Data {
  return isObject(data) ? { data, metadata } : { data: { value: data }, metadata: { ...metadata, [WRAPPED]: true } };
}

/** As it was before `wrapData`. */
export function unwrapData({ data, metadata }: Data): Data {
  if (!isObject(metadata) || metadata[WRAPPED] !== true || !isObject(data) || data['value'] === undefined)
    return { data, metadata };
  const { [WRAPPED]: _, ...rest } = metadata;
  return { data: data['value'], metadata: Object.keys(rest).length === 0 ? undefined : rest };
}
