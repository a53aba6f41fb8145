import { StoreUnavailableError } from '#core';

/**
 * SQLSTATEs that say "what was given cannot be stored, and never will be": bad data (22), constraints (23), limits of the program
 * (54). All others speak of the server, the connection or the moment (a read-only replica, a deadlock, a lock, a changed password,
 * a pooler that forgot a prepared statement, a database that lacks a column): the same again may succeed.
 */
const REFUSED = /^(22|23|54)/;

/** `error` as it is when the store refuses what it was given, else as a StoreUnavailableError: the outcome is unknown. */
export function storeError(error: unknown): unknown {
  // A value that cannot be sent is the caller's fault, and will be so again.
  if (error instanceof StoreUnavailableError || error instanceof TypeError || error instanceof RangeError) return error;
  const { code, message } = error as { code?: unknown; message?: unknown };
  const sqlState = typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code);
  if (sqlState && REFUSED.test(code)) return error;
  return new StoreUnavailableError(`Postgres: ${String(message ?? error)}`, { cause: error });
}

/** A new task's id is taken: its row, or its first event, whichever the statement wrote first. */
export const isTaskTaken = (error: unknown): boolean => {
  const { code, constraint } = error as { code?: unknown; constraint?: unknown };
  return code === '23505' && (constraint === 'task_pkey' || constraint === 'task_event_pkey');
};
