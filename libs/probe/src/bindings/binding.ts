import type { Json, JsonObject } from '../wire/json.js';
import { WireFault, type WireLimits } from '../wire/wire-fault.js';
import type { OperationName } from './operations.js';

export const BINDINGS = ['JSONRPC', 'HTTP+JSON', 'GRPC'] as const;
export type BindingName = (typeof BINDINGS)[number];

/** What a call may say beside its parameters. */
export interface CallOptions {
  /** `A2A-Version`; null sends none. 1.0 unless told. */
  readonly version?: string | null;
  /** More headers, or gRPC metadata. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly withoutCredentials?: boolean;
  /** Appended to the URL of the call; over gRPC there is none. */
  readonly query?: Readonly<Record<string, string>>;
}

/** An error as a binding carried it. */
export interface AgentError {
  /** JSON-RPC code, HTTP status or gRPC status. */
  readonly code: number;
  readonly message: string;
  /** `google.rpc` details in their JSON form, `@type` included. */
  readonly details: readonly Json[];
  /** As it came, for the report. */
  readonly raw: string;
}

export interface Reply {
  readonly value?: JsonObject;
  readonly error?: AgentError;
  /** Headers of HTTP, or gRPC metadata; lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly httpStatus?: number;
}

export interface Frame {
  /** The SSE id. */
  readonly id?: string;
  readonly value: Json;
  /** JSON-RPC: the response object around the value. */
  readonly envelope?: Json;
}

/** A stream, or the error that came in its place. Whoever opened it closes it. */
export interface ReplyStream {
  readonly error?: AgentError;
  readonly headers: Readonly<Record<string, string>>;
  readonly frames: AsyncIterable<Frame>;
  close(): void;
}

/** One declared interface of an agent, as a client of its binding. Every method throws WireFault. */
export interface Binding {
  readonly name: BindingName;
  readonly url: string;
  call(operation: OperationName, params: JsonObject, options?: CallOptions): Promise<Reply>;
  open(operation: OperationName, params: JsonObject, options?: CallOptions): Promise<ReplyStream>;
}

/** Of one interface. */
export interface BindingSettings {
  readonly url: string;
  /** Of the interface; goes into every request. */
  readonly tenant?: string;
  /** Credentials and what the user gave with --header. */
  readonly credentials: Readonly<Record<string, string>>;
  readonly limits: WireLimits;
}

export const VERSION = '1.0';

export function headersOf({ credentials }: BindingSettings, options: CallOptions): Record<string, string> {
  const { version = VERSION, headers, withoutCredentials } = options;
  return {
    ...(version !== null && { 'a2a-version': version }),
    ...(withoutCredentials ? {} : credentials),
    ...headers,
  };
}

export interface Collected {
  readonly frames: readonly Frame[];
  /** `closed` by the agent, `stopped` because the caller had enough, `late` when the time was up, `broken` by a fault of the wire. */
  readonly end: 'closed' | 'stopped' | 'late' | 'broken';
  readonly fault?: WireFault;
}

/** Reads a stream to its end, or until `enough`; closes it. What the wire does wrong is in the answer, with the frames before it. */
export async function collect(
  stream: ReplyStream,
  limits: WireLimits,
  enough: (frames: readonly Frame[]) => boolean = () => false,
): Promise<Collected> {
  const frames: Frame[] = [];
  try {
    for await (const frame of stream.frames) {
      frames.push(frame);
      if (frames.length > limits.maxFrames) throw new WireFault(`a stream of more than ${limits.maxFrames} events`);
      if (enough(frames)) return { frames, end: 'stopped' };
    }
    return { frames, end: 'closed' };
  } catch (error) {
    if (!(error instanceof WireFault)) throw error;
    return { frames, end: /within \d+ ms/.test(error.message) ? 'late' : 'broken', fault: error };
  } finally {
    stream.close();
  }
}
