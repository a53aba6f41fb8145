import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

/** A notification as it came. */
export interface Got {
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** By `performance.now()`. */
  readonly at: number;
}

/** A receiver of push notifications on 127.0.0.1. */
export class PushReceiver {
  readonly got: Got[] = [];
  /** Answers one; 200 at once unless it is set. */
  answer: (response: ServerResponse, got: Got) => void = (response) => void response.end();
  readonly #open = new Set<Socket>();
  #server: Server | undefined;
  #port = 0;

  static async start(): Promise<PushReceiver> {
    const receiver = new PushReceiver();
    await receiver.listen();
    return receiver;
  }

  get origin(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  get url(): string {
    return `${this.origin}/notifications`;
  }

  /** Opens it at the port that it had before, if it had one. */
  async listen(): Promise<void> {
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const got = { headers: request.headers, body: Buffer.concat(chunks), at: performance.now() };
        this.got.push(got);
        this.answer(response, got);
      });
      request.on('error', () => undefined);
    });
    server.on('connection', (socket: Socket) => {
      this.#open.add(socket);
      socket.once('close', () => this.#open.delete(socket));
    });
    server.listen(this.#port, '127.0.0.1');
    await once(server, 'listening');
    this.#port = (server.address() as AddressInfo).port;
    this.#server = server;
  }

  /** What got no answer yet gets none. */
  async close(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (!server) return;
    for (const socket of this.#open) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  }

  /** The ids of what came, each once, by task and in the order in which they came first. */
  firsts(): Map<string, number[]> {
    const seen = new Set<string>();
    const firsts = new Map<string, number[]>();
    for (const { headers } of this.got) {
      const id = headers['x-a2a-notification-id'] as string;
      if (seen.has(id)) continue;
      seen.add(id);
      const [taskId = '', , sequence] = id.split('.');
      firsts.set(taskId, [...(firsts.get(taskId) ?? []), Number(sequence)]);
    }
    return firsts;
  }
}
