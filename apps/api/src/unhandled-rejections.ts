import type { Logger } from '#core';

/** A fault in one request must not end the process and all the others: it is logged instead. Answers a function that undoes this. */
export function logUnhandledRejections(logger: Logger): () => void {
  const onRejection = (err: unknown): void => logger.error('A promise was rejected and nobody listened', { err });
  process.on('unhandledRejection', onRejection);
  return () => process.off('unhandledRejection', onRejection);
}
