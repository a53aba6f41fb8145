import type { Socket } from 'node:net';
import { TcpProxy } from './tcp-proxy.js';

/**
 * A proxy before Postgres that lets a statement through, waits for the server's answer (so it is committed) and then cuts the
 * connection instead of passing the answer on.
 */
export class LossyProxy extends TcpProxy {
  #statement = '';
  #left = 0;
  dropped = 0;

  static before(databaseUrl: string): Promise<LossyProxy> {
    return new LossyProxy(databaseUrl).listen();
  }

  /** Loses the answers to the next `count` statements of that name, and counts them anew. */
  drop(statement: string, count: number): void {
    this.#statement = statement;
    this.#left = count;
    this.dropped = 0;
  }

  protected override join(client: Socket, server: Socket): void {
    let doomed = false;
    client.on('data', (bytes) => {
      // A named statement is bound by its name, between two zero bytes.
      if (this.#left > 0 && bytes.includes(`\0${this.#statement}\0`)) {
        this.#left -= 1;
        doomed = true;
      }
      server.write(bytes);
    });
    server.on('data', (bytes) => {
      // ReadyForQuery ends the answer: by now the statement is committed.
      if (doomed && bytes.at(-6) === 0x5a) {
        this.dropped += 1;
        client.destroy();
        server.destroy();
      } else if (!doomed) client.write(bytes);
    });
  }
}
