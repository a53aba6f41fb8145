import type { Socket } from 'node:net';
import { TcpProxy } from './tcp-proxy.js';

/** A proxy before Redis that can keep what its client writes, to show what the client had written and Redis never got. */
export class HeldProxy extends TcpProxy {
  #held: Buffer[] | undefined;

  static before(redisUrl: string): Promise<HeldProxy> {
    return new HeldProxy(redisUrl).listen();
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
    this.cut();
  }

  protected override join(client: Socket, server: Socket): void {
    client.on('data', (bytes) => {
      if (this.#held) this.#held.push(bytes);
      else server.write(bytes);
    });
    server.on('data', (bytes) => client.write(bytes));
  }
}
