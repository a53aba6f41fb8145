import { StoreUnavailableError } from '#core';

/** SQLSTATE classes and codes that say "the server, not the statement": connections, resources, shutdown. */
const UNAVAILABLE = /^(08|53|57P0|57014|58)/;

/** `error` as a StoreUnavailableError when the database could not be reached or did not answer; else as it is. */
export function storeError(error: unknown): unknown {
  // A value that cannot be sent is the caller's fault, and will be so again.
  if (error instanceof StoreUnavailableError || error instanceof TypeError || error instanceof RangeError) return error;
  const { code, message } = error as { code?: unknown; message?: unknown };
  const sqlState = typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code);
  if (sqlState && !UNAVAILABLE.test(code)) return error;
  return new StoreUnavailableError(`Postgres: ${String(message ?? error)}`, { cause: error });
}

/** A new task's id is taken: its row, or its first event, whichever the statement wrote first. */
export const isTaskTaken = (error: unknown): boolean => {
  const { code, constraint } = error as { code?: unknown; constraint?: unknown };
  return code === '23505' && (constraint === 'task_pkey' || constraint === 'task_event_pkey');
};
