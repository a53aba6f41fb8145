import { connect as connectHttp2, type ClientHttp2Session } from 'node:http2';
import { connect } from 'node:net';
import { grpcFrame, grpcHeaders } from './grpc-frame.js';
import { rpcRequest } from './requests.js';

export interface WatchJob {
  readonly binding: 'JSON-RPC' | 'gRPC';
  readonly port: number;
  readonly agentId: string;
  readonly taskId: string;
  /** How many subscriptions. */
  readonly count: number;
}

/** When the first and the last subscription brought something; milliseconds since the epoch. */
export interface Heard {
  readonly first: number;
  readonly last: number;
}

/** Opens one subscription; each piece of its stream is handed on. */
type Opener = (onPiece: (bytes: Buffer) => void, onEnd: (error: Error) => void) => void;

interface Listening {
  readonly text: string;
  readonly heardBy: Set<number>;
  first: number;
  readonly resolve: (heard: Heard) => void;
  readonly reject: (error: Error) => void;
}

/** Streams that are opened at once. */
const OPENING = 100;
/** No server has to let one connection have more. */
const STREAMS_A_SESSION = 100;
const PATIENCE_MS = 60_000;

/** Subscriptions to one task: over a connection of its own each (JSON-RPC), or a hundred over each (gRPC). */
export class Watchers {
  #listening: Listening | undefined;

  constructor(private readonly job: WatchJob) {}

  /** Resolves when each subscription has brought the task. */
  async open(): Promise<void> {
    const { binding, port, agentId, taskId: id, count } = this.job;
    const opener =
      binding === 'gRPC'
        ? overGrpc(port, grpcFrame('SubscribeToTask', { tenant: agentId, id }))
        : overSse(port, rpcRequest(agentId, 'SubscribeToTask', { id }));
    for (let from = 0; from < count; from += OPENING) {
      const batch = Array.from({ length: Math.min(OPENING, count - from) }, (_, n) => this.#subscribe(from + n, opener));
      await Promise.all(batch);
    }
  }

  /** Resolves when every subscription has brought an event with `text`. Rejects when one ends, or not all of them have within a minute. */
  hear(text: string): Promise<Heard> {
    const heardBy = new Set<number>();
    let timer: NodeJS.Timeout | undefined;
    return new Promise<Heard>((resolve, reject) => {
      this.#listening = { text, heardBy, first: Infinity, resolve, reject };
      timer = setTimeout(() => reject(new Error(`${heardBy.size} of ${this.job.count} have heard ${text}`)), PATIENCE_MS);
    }).finally(() => {
      clearTimeout(timer);
      this.#listening = undefined;
    });
  }

  #subscribe(n: number, opener: Opener): Promise<void> {
    return new Promise((resolve, reject) => {
      const onEnd = (error: Error): void => {
        reject(error);
        this.#listening?.reject(error);
      };
      opener((bytes) => {
        resolve();
        this.#take(n, bytes);
      }, onEnd);
    });
  }

  #take(n: number, bytes: Buffer): void {
    const listening = this.#listening;
    if (!listening || !bytes.includes(listening.text)) return;
    const now = performance.timeOrigin + performance.now();
    listening.first = Math.min(listening.first, now);
    listening.heardBy.add(n);
    if (listening.heardBy.size === this.job.count) listening.resolve({ first: listening.first, last: now });
  }
}

function overSse(port: number, request: Buffer): Opener {
  return (onPiece, onEnd) => {
    const socket = connect({ host: '127.0.0.1', port, noDelay: true });
    socket.on('connect', () => socket.write(request));
    socket.on('data', onPiece);
    socket.on('error', onEnd);
    socket.on('close', () => onEnd(new Error('a stream has ended')));
  };
}

function overGrpc(port: number, request: Buffer): Opener {
  let session: ClientHttp2Session | undefined;
  let streams = 0;
  return (onPiece, onEnd) => {
    if (session === undefined || streams === STREAMS_A_SESSION) {
      session = connectHttp2(`http://127.0.0.1:${port}`);
      session.on('error', onEnd);
      streams = 0;
    }
    streams += 1;
    const stream = session.request(grpcHeaders('SubscribeToTask'));
    stream.on('data', onPiece);
    stream.on('error', onEnd);
    stream.on('close', () => onEnd(new Error('a stream has ended')));
    stream.end(request);
  };
}
