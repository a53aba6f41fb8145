import { StoreUnavailableError } from '#core';

/** SQLSTATE classes and codes that say "the server, not the statement": connections, resources, shutdown. */
const UNAVAILABLE = /^(08|53|57P0|58)/;

/** `error` as a StoreUnavailableError when the database could not be reached or did not answer; else as it is. */
export function storeError(error: unknown): unknown {
  if (error instanceof StoreUnavailableError) return error;
  const { code, message } = error as { code?: unknown; message?: unknown };
  const sqlState = typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code);
  if (sqlState && !UNAVAILABLE.test(code)) return error;
  return new StoreUnavailableError(`Postgres: ${String(message ?? error)}`, { cause: error });
}

/** A deadlock or a serialization failure: nothing was done, the same statement may be sent again. */
export const mayRepeat = (error: unknown): boolean => ['40P01', '40001'].includes(String((error as { code?: unknown }).code));
