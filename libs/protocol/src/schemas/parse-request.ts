import { Faults } from './faults.js';
import { FieldReader } from './field-reader.js';
import type { Limits } from './limits.js';

export interface ParseOptions {
  /** The input is a query string's: integers and booleans are text. */
  readonly fromQuery?: boolean;
}

/** What `read` makes of `input`. Throws InvalidParamsError with every fault that it reported. */
export function parseRequest<T>(input: unknown, limits: Limits, options: ParseOptions, read: (reader: FieldReader) => T): T {
  const faults = new Faults();
  const request = read(FieldReader.ofRequest(input, faults, limits, options.fromQuery));
  faults.throwIfAny();
  return request;
}

/** `request` with the tenant that the reader's message names, if it does. */
export function withTenant<T extends object>(reader: FieldReader, request: T): T & { tenant?: string } {
  const tenant = reader.id('tenant');
  return tenant === undefined ? request : { tenant, ...request };
}

/** Any number of messages but a negative one (section 3.2.4). */
export function readHistoryLength(reader: FieldReader): number | undefined {
  const length = reader.integer('historyLength');
  return length === undefined || length >= 0 ? length : reader.fault('historyLength', `must not be negative, got ${length}`);
}
