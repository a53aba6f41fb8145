import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

export interface Delivery {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

const MOST_DELIVERIES = 1000;
const MOST_BYTES = 1024 * 1024;

/** A webhook on this machine: keeps what it is sent, bounded in number and size, and answers 200. */
export class PushReceiver {
  readonly #deliveries: Delivery[] = [];
  readonly #waiting = new Set<() => void>();
  readonly #server = createServer((request, response) => {
    this.#take(request).then(
      () => response.end('{}'),
      () => request.destroy(),
    );
  });

  private constructor(private readonly publicUrl: string | undefined) {}

  /** Listens on loopback, or on every address when the agent is to reach it under `publicUrl`. */
  static async listen({ port = 0, publicUrl }: { port?: number; publicUrl?: string }): Promise<PushReceiver> {
    const receiver = new PushReceiver(publicUrl);
    receiver.#server.listen(port, publicUrl === undefined ? '127.0.0.1' : undefined);
    await once(receiver.#server, 'listening');
    return receiver;
  }

  /** Where the agent delivers to. */
  url(path: string): string {
    const { port } = this.#server.address() as AddressInfo;
    return `${(this.publicUrl ?? `http://127.0.0.1:${port}`).replace(/\/$/, '')}${path}`;
  }

  /** What came to `path` so far. */
  deliveries(path: string): Delivery[] {
    return this.#deliveries.filter((delivery) => delivery.path === path);
  }

  /** Waits until `enough` of what came to `path`; false when the time was up. */
  async wait(path: string, enough: (deliveries: readonly Delivery[]) => boolean, timeoutMs: number): Promise<boolean> {
    const deadline = Date.now() + timeoutMs;
    while (!enough(this.deliveries(path))) {
      const left = deadline - Date.now();
      if (left <= 0) return false;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(done, left);
        const waiting = this.#waiting;
        function done(): void {
          clearTimeout(timer);
          waiting.delete(done);
          resolve();
        }
        waiting.add(done);
      });
    }
    return true;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #take(request: IncomingMessage): Promise<void> {
    const parts: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of request as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > MOST_BYTES) throw new Error('too large');
      parts.push(chunk);
    }
    if (this.#deliveries.length >= MOST_DELIVERIES) throw new Error('too many');
    this.#deliveries.push({ path: request.url ?? '', headers: request.headers, body: Buffer.concat(parts).toString('utf8') });
    for (const wake of [...this.#waiting]) wake();
  }
}
