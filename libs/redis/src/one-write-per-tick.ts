import type { Redis } from 'ioredis';

/**
 * Lets the commands of one turn of the event loop share a write to the socket. ioredis writes each at once, and a write wakes
 * the server up: with many tasks at a time that costs both sides more than the commands themselves. (Its own remedy,
 * `enableAutoPipelining`, makes a pipeline of some hundred properties for every write.)
 */
export function oneWritePerTick(redis: Redis): Redis {
  return redis.on('connect', () => {
    const socket = redis.stream;
    const write = socket.write.bind(socket) as (...data: unknown[]) => boolean;
    let corked = false;
    const flush = (): void => {
      corked = false;
      socket.uncork();
    };
    socket.write = (...data: unknown[]): boolean => {
      if (!corked) {
        corked = true;
        socket.cork();
        // After all microtasks: whatever promises that settle now still send goes along.
        process.nextTick(flush);
      }
      return write(...data);
    };
  });
}
