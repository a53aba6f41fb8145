import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** A TCP proxy before Redis that can keep what its client writes, to show what the client had written and Redis never got. */
export class HeldProxy {
  #server: Server | undefined;
  readonly #sockets = new Set<Socket>();
  #held: Buffer[] | undefined;

  private constructor(private readonly target: URL) {}

  static async before(redisUrl: string): Promise<HeldProxy> {
    const proxy = new HeldProxy(new URL(redisUrl));
    await proxy.#listen();
    return proxy;
  }

  get url(): string {
    const url = new URL(this.target);
    url.port = String((this.#server?.address() as AddressInfo).port);
    return url.href;
  }

  hold(): void {
    this.#held ??= [];
  }

  holds(text: string): boolean {
    return Buffer.concat(this.#held ?? []).includes(text);
  }

  /** Throws away what is held, with the connections that it came over; new ones work. */
  forget(): void {
    this.#held = undefined;
    for (const socket of this.#sockets) socket.destroy();
  }

  async close(): Promise<void> {
    this.forget();
    await new Promise((resolve) => this.#server?.close(resolve));
  }

  async #listen(): Promise<void> {
    this.#server = createServer((client) => this.#serve(client));
    await new Promise<void>((resolve) => this.#server?.listen(0, '127.0.0.1', resolve));
  }

  #serve(client: Socket): void {
    const server = connect(Number(this.target.port), this.target.hostname);
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
      if (this.#held) this.#held.push(bytes);
      else server.write(bytes);
    });
    server.on('data', (bytes) => client.write(bytes));
  }
}
