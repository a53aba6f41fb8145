import type { IncomingMessage } from 'node:http';

export interface DiscardLimits {
  readonly bytes: number;
  readonly ms: number;
}

/**
 * Reads what is left of a request and forgets it; resolves when it has come to its end, or when a limit is reached. A socket that is
 * closed over unread bytes is reset, and a client that still sends loses the answer that explains why.
 */
export function discard(request: IncomingMessage, { bytes, ms }: DiscardLimits): Promise<void> {
  return new Promise((resolve) => {
    let left = bytes;
    const settle = (): void => {
      clearTimeout(timer);
      request.off('data', onData).off('end', settle).off('close', settle);
      resolve();
    };
    const onData = (chunk: Buffer): void => {
      left -= chunk.length;
      if (left < 0) settle();
    };
    const timer = setTimeout(settle, ms);
    request.on('data', onData).on('end', settle).on('close', settle).resume();
    if (request.readableEnded || request.destroyed) settle();
  });
}
