import {
  Metadata,
  type handleServerStreamingCall,
  type handleUnaryCall,
  type ServiceDefinition,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import { UnavailableError } from '#protocol';
import { callerOf, type Host } from '../host.js';
import { headerOf } from '../http.js';
import { aboutCall, invoke, type Call, type Outcome } from '../invoke.js';
import { requireVersion } from '../requested-version.js';
import { toAnswerable } from '../to-answerable.js';
import { addressed } from './addressee.js';
import { FrameCodec } from './frame-codec.js';
import { GrpcRequest, type StreamingCall, type UnaryCall } from './grpc-request.js';
import { failureOf } from './grpc-status.js';
import type { WireCodec } from './wire-codec.js';
import { transportOf, writeFrames } from './write-frames.js';

export interface GrpcBindingOptions {
  /** How long a client may take nothing of a stream before it is cut, in milliseconds. */
  readonly stallMs: number;
}

/** The services of 0.3 are of another package, so no switch makes 0.3 a version of this one. */
const V1_ONLY = Object.freeze({ serveV03: false });

type Handler = handleUnaryCall<Buffer, Buffer> | handleServerStreamingCall<Buffer, Buffer>;

/** The gRPC binding (section 10): every method of the service, on the operations that the other bindings stand on. */
export class GrpcBinding {
  readonly definition: ServiceDefinition;
  readonly implementation: UntypedServiceImplementation;
  #closing = false;
  #open = 0;
  #onIdle: (() => void) | undefined;

  constructor(
    private readonly host: Host,
    codecs: readonly WireCodec[],
    private readonly options: GrpcBindingOptions,
  ) {
    this.definition = Object.fromEntries(codecs.map((codec) => [codec.operation, definitionOf(codec)]));
    this.implementation = Object.fromEntries(codecs.map((codec) => [codec.operation, this.#handlerOf(codec)]));
  }

  /** From here on every call is answered with UNAVAILABLE; those under way are not touched. Resolves when none is left. */
  close(): Promise<void> {
    this.#closing = true;
    if (this.#open === 0) return Promise.resolve();
    return new Promise((resolve) => (this.#onIdle = resolve));
  }

  #handlerOf(codec: WireCodec): Handler {
    if (!codec.streams) {
      return (call: UnaryCall, callback: Parameters<handleUnaryCall<Buffer, Buffer>>[1]) => {
        this.#track(call);
        void this.#unary(codec, call, callback);
      };
    }
    const frames = new FrameCodec(codec);
    return (call: StreamingCall) => {
      this.#track(call);
      void this.#stream(codec, frames, call);
    };
  }

  /** Never rejects. */
  async #unary(codec: WireCodec, call: UnaryCall, callback: Parameters<handleUnaryCall<Buffer, Buffer>>[1]): Promise<void> {
    try {
      const { outcome } = await this.#invoke(codec, call);
      const bytes = codec.encode(outcome.result as string);
      if (outcome.extensions.length > 0) call.sendMetadata(metadataOf(outcome));
      callback(null, bytes);
    } catch (error) {
      callback(failureOf(toAnswerable(error, this.host.logger, { operation: codec.operation })));
    }
  }

  /** Never rejects. */
  async #stream(codec: WireCodec, frames: FrameCodec, call: StreamingCall): Promise<void> {
    let about = { operation: codec.operation } as ReturnType<typeof aboutCall>;
    try {
      const { outcome, asked } = await this.#invoke(codec, call);
      about = aboutCall(this.host, asked);
      if (typeof outcome.result === 'string') throw new Error(`${codec.operation} did not answer with a stream`);
      await writeFrames(call, outcome.result, { frames, metadata: metadataOf(outcome), stallMs: this.options.stallMs });
    } catch (error) {
      const failure = failureOf(toAnswerable(error, this.host.logger, about));
      if (!call.destroyed) call.emit('error', failure);
    }
  }

  async #invoke(codec: WireCodec, call: UnaryCall | StreamingCall): Promise<{ outcome: Outcome; asked: Call }> {
    if (this.#closing) throw new UnavailableError('This host is shutting down; try again');
    const request = new GrpcRequest(call);
    const caller = await callerOf(this.host, request.headers);
    requireVersion(V1_ONLY, request);
    const extensions = headerOf(request.headers, 'a2a-extensions');
    const called = { request, caller, operation: codec.operation, fromQuery: false, extensions };
    const asked: Call = { ...called, ...addressed(codec.decode(call.request)) };
    return { outcome: await invoke(this.host, asked), asked };
  }

  #track(call: UnaryCall | StreamingCall): void {
    this.#open += 1;
    transportOf(call).once('close', () => {
      this.#open -= 1;
      if (this.#open === 0) this.#onIdle?.();
    });
  }
}

function metadataOf({ extensions }: Outcome): Metadata {
  const metadata = new Metadata();
  if (extensions.length > 0) metadata.set('a2a-extensions', extensions.join(', '));
  return metadata;
}

/** Bytes as they are: what is wrong with a request is said by the binding, not by the server in words of its own. */
const definitionOf = ({ path, streams }: WireCodec): ServiceDefinition[string] => ({
  path,
  requestStream: false,
  responseStream: streams,
  requestSerialize: (bytes: Buffer) => bytes,
  requestDeserialize: (bytes: Buffer) => bytes,
  responseSerialize: (bytes: Buffer) => bytes,
  responseDeserialize: (bytes: Buffer) => bytes,
});
