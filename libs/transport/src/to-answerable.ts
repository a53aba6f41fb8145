import { randomUUID } from 'node:crypto';
import { StoreUnavailableError, type LogFields, type Logger } from '#core';
import { A2AError, InternalError, UnavailableError } from '#protocol';

/** What a caller may see of `error`. Anything unforeseen is logged whole, under the id that the caller gets instead. */
export function toAnswerable(error: unknown, logger: Logger, about: LogFields = {}): A2AError {
  if (error instanceof A2AError) return error;
  if (error instanceof StoreUnavailableError) return new UnavailableError('The task store cannot be reached; try again');
  const errorId = randomUUID();
  logger.error('A request failed unexpectedly', { ...about, errorId, err: error });
  return new InternalError(errorId);
}
