import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** A TCP proxy on loopback before a server that a URL names. What it does to the bytes is its subclasses' matter. */
export abstract class TcpProxy {
  readonly #server: Server;
  readonly #target: URL;
  readonly #sockets = new Set<Socket>();

  protected constructor(serverUrl: string) {
    this.#target = new URL(serverUrl);
    this.#server = createServer((client) => this.#serve(client));
  }

  /** The server's URL, by way of this proxy. */
  get url(): string {
    const url = new URL(this.#target);
    url.hostname = '127.0.0.1';
    url.port = String((this.#server.address() as AddressInfo).port);
    return url.href;
  }

  async close(): Promise<void> {
    this.cut();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  protected async listen(): Promise<this> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return this;
  }

  /** Ends every connection; new ones work. */
  protected cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Passes on what the two write, or does not. When one of them is destroyed, so is the other. */
  protected abstract join(client: Socket, server: Socket): void;

  #serve(client: Socket): void {
    const server = connect(Number(this.#target.port), this.#target.hostname);
    for (const socket of [client, server]) {
      this.#sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        this.#sockets.delete(socket);
        client.destroy();
        server.destroy();
      });
    }
    this.join(client, server);
  }
}
