import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';

/** A web server on 127.0.0.1 that counts who comes. */
export class Receiver {
  connections = 0;
  requests = 0;
  readonly port: number;
  readonly #server: ReturnType<typeof createServer>;
  readonly #open = new Set<Socket>();
  #onEmpty = () => {};

  private constructor(server: ReturnType<typeof createServer>) {
    this.#server = server;
    this.port = (server.address() as AddressInfo).port;
    server.on('request', () => this.requests++);
    server.on('connection', (socket: Socket) => {
      this.connections++;
      this.#open.add(socket);
      socket.on('error', () => {});
      socket.once('close', () => {
        this.#open.delete(socket);
        if (this.#open.size === 0) this.#onEmpty();
      });
    });
  }

  static async start(answer: RequestListener, tls?: { key: string; cert: string }): Promise<Receiver> {
    const server = tls === undefined ? createServer(answer) : createTlsServer(tls, answer);
    server.on('tlsClientError', () => {});
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new Receiver(server as ReturnType<typeof createServer>);
  }

  /** Resolves when every connection so far is closed. */
  async left(): Promise<void> {
    if (this.#open.size > 0) await new Promise<void>((resolve) => (this.#onEmpty = resolve));
  }

  async close(): Promise<void> {
    for (const socket of this.#open) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
