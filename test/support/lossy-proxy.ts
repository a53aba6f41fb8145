import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/**
 * A TCP proxy before Postgres that lets a statement through, waits for the server's answer (so it is committed) and then cuts
 * the connection instead of passing the answer on.
 */
export class LossyProxy {
  #server: Server | undefined;
  readonly #sockets = new Set<Socket>();
  #statement = '';
  #left = 0;
  dropped = 0;

  private constructor(private readonly target: URL) {}

  static async before(databaseUrl: string): Promise<LossyProxy> {
    const proxy = new LossyProxy(new URL(databaseUrl));
    await proxy.#listen();
    return proxy;
  }

  get url(): string {
    const url = new URL(this.target);
    url.port = String((this.#server?.address() as AddressInfo).port);
    return url.href;
  }

  drop(statement: string, count: number): void {
    this.#statement = statement;
    this.#left = count;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server?.close(resolve));
  }

  async #listen(): Promise<void> {
    this.#server = createServer((client) => this.#serve(client));
    await new Promise<void>((resolve) => this.#server?.listen(0, '127.0.0.1', resolve));
  }

  #serve(client: Socket): void {
    const server = connect(Number(this.target.port), this.target.hostname);
    let doomed = false;
    for (const socket of [client, server]) {
      this.#sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        this.#sockets.delete(socket);
        client.destroy();
        server.destroy();
      });
    }
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
