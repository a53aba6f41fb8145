import {
  Metadata,
  type handleServerStreamingCall,
  type handleUnaryCall,
  type ServiceDefinition,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import type { FrameStream, LogFields } from '#core';
import { UnavailableError } from '#protocol';
import { admit } from '../admission.js';
import type { Host } from '../host.js';
import { aboutCall, invoke, type Call, type Outcome } from '../invoke.js';
import { toAnswerable } from '../to-answerable.js';
import { FrameCodec } from './frame-codec.js';
import type { GrpcDialect } from './grpc-dialect.js';
import { GrpcRequest, type StreamingCall, type UnaryCall } from './grpc-request.js';
import type { WireCodec } from './wire-codec.js';
import { transportOf, writeFrames } from './write-frames.js';

export interface GrpcBindingOptions {
  /** How long a client may take nothing of a stream before it is cut, in milliseconds. */
  readonly stallMs: number;
}

type Handler = handleUnaryCall<Buffer, Buffer> | handleServerStreamingCall<Buffer, Buffer>;

/** The gRPC binding (section 10) of one version: every method of its service, on the operations that all bindings stand on. */
export class GrpcBinding {
  readonly definition: ServiceDefinition;
  readonly implementation: UntypedServiceImplementation;
  #closing = false;
  #underWay = 0;
  #onIdle: (() => void) | undefined;

  constructor(
    private readonly host: Host,
    codecs: readonly WireCodec[],
    private readonly dialect: GrpcDialect,
    private readonly options: GrpcBindingOptions,
  ) {
    this.definition = Object.fromEntries(codecs.map((codec) => [codec.operation, definitionOf(codec)]));
    this.implementation = Object.fromEntries(codecs.map((codec) => [codec.operation, this.#handlerOf(codec)]));
  }

  /** From here on every call is answered with UNAVAILABLE; those under way are not touched. Resolves when none is left. */
  close(): Promise<void> {
    this.#closing = true;
    if (this.#underWay === 0) return Promise.resolve();
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
      const bytes = codec.encode(this.dialect.result(codec.operation, outcome.result as string));
      if (outcome.extensions.length > 0) call.sendMetadata(this.#metadataOf(outcome));
      callback(null, bytes);
    } catch (error) {
      callback(this.dialect.errorBody(toAnswerable(error, this.host.logger, { operation: codec.operation })));
    }
  }

  /** Never rejects. */
  async #stream(codec: WireCodec, frames: FrameCodec, call: StreamingCall): Promise<void> {
    let about: LogFields = { operation: codec.operation };
    try {
      const opened = await this.#open(codec, call);
      about = opened.about;
      await writeFrames(call, opened.stream, { frames, metadata: opened.metadata, stallMs: this.options.stallMs });
    } catch (error) {
      const failure = this.dialect.errorBody(toAnswerable(error, this.host.logger, about));
      if (!call.destroyed) call.emit('error', failure);
    }
  }

  /** All that is needed of a request while its stream goes on, perhaps for hours. */
  async #open(codec: WireCodec, call: StreamingCall): Promise<{ stream: FrameStream; metadata: Metadata; about: LogFields }> {
    const { outcome, asked } = await this.#invoke(codec, call);
    if (typeof outcome.result === 'string') throw new Error(`${codec.operation} did not answer with a stream`);
    const stream = this.dialect.frames(codec.operation, outcome.result);
    return { stream, metadata: this.#metadataOf(outcome), about: aboutCall(this.host, asked) };
  }

  async #invoke(codec: WireCodec, call: UnaryCall | StreamingCall): Promise<{ outcome: Outcome; asked: Call }> {
    if (this.#closing) throw new UnavailableError('This host is shutting down; try again');
    const request = new GrpcRequest(call, this.host);
    const { caller } = await admit(this.host, request);
    this.dialect.requireVersion(this.host, request);
    const { operation } = codec;
    const { input, ...addressee } = this.dialect.addressed(codec.decode(call.request));
    const asked: Call = {
      request,
      caller,
      version: this.dialect.version,
      operation,
      fromQuery: false,
      extensions: this.dialect.requestedExtensions(request),
      ...addressee,
      input: this.dialect.input(operation, input),
    };
    return { outcome: await invoke(this.host, asked), asked };
  }

  #metadataOf({ extensions }: Outcome): Metadata {
    const metadata = new Metadata();
    if (extensions.length > 0) metadata.set(this.dialect.extensionsHeader, extensions.join(', '));
    return metadata;
  }

  #track(call: UnaryCall | StreamingCall): void {
    this.#underWay += 1;
    transportOf(call).once('close', () => {
      this.#underWay -= 1;
      if (this.#underWay === 0) this.#onIdle?.();
    });
  }
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
