import { connect, type Socket } from 'node:net';
import type { Connection } from './connection.js';
import { ResponseParser, type RawResponse } from './response-parser.js';

interface Waiting {
  readonly resolve: (response: RawResponse) => void;
  readonly reject: (error: Error) => void;
}

const SILENCE_MS = 30_000;

/** One keep-alive connection that has one request on the wire at a time. Leaner than fetch: it must cost less than what it measures. */
export class HttpConnection implements Connection {
  #socket: Socket | undefined;
  #waiting: Waiting | undefined;
  #parser = new ResponseParser();

  constructor(private readonly port: number) {}

  /** Sends the bytes of a whole request; rejects when the connection fails, ends early or is silent for 30 s. */
  async exchange(request: Buffer): Promise<RawResponse> {
    const socket = this.#socket ?? (await this.#open());
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      socket.write(request);
    });
  }

  close(): void {
    this.#socket?.destroy();
    this.#socket = undefined;
  }

  async #open(): Promise<Socket> {
    const socket = connect({ host: '127.0.0.1', port: this.port, noDelay: true });
    await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject));
    socket.removeAllListeners('error');
    this.#parser = new ResponseParser();
    socket.on('data', (chunk: Buffer) => this.#take(this.#parser.push(chunk)));
    socket.on('error', (error) => this.#fail(error));
    socket.on('close', () => {
      this.#socket = undefined;
      this.#take(this.#parser.end());
      this.#fail(new Error('the connection was closed before the end of the answer'));
    });
    socket.setTimeout(SILENCE_MS, () => socket.destroy(new Error(`silent for ${SILENCE_MS} ms`)));
    this.#socket = socket;
    return socket;
  }

  #take(response: RawResponse | undefined): void {
    if (!response) return;
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.resolve(response);
  }

  #fail(error: Error): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.reject(error);
  }
}
