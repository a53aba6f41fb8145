import type { FrameStream } from '#core';
import {
  operationOf,
  toHttpErrorBody,
  toJsonRpcError,
  type A2AError,
  type HttpErrorBody,
  type JsonRpcErrorObject,
  type OperationName,
} from '#protocol';
import type { Host } from './host.js';
import { headerOf, type CallRequest, type HttpRequest } from './http.js';
import { restTypeOf } from './media-type.js';
import { requireVersion } from './requested-version.js';

/**
 * How one version of A2A is spoken over one binding. What the bindings do between reading a request and writing its answer is the
 * same for every version, and speaks 1.0: a dialect translates on the way in and on the way out.
 */
export interface Dialect<ErrorBody> {
  readonly version: '1.0' | '0.3';
  /** The header that names extensions in an answer, in lower case. */
  readonly extensionsHeader: string;
  /** The header that names them in the request. */
  requestedExtensions(request: CallRequest): string | undefined;
  /** The request's message as that of 1.0; what is wrong with it is left for the parser to say. */
  input(operation: OperationName, input: unknown): unknown;
  /** The text of a result of 1.0 as the client reads it. */
  result(operation: OperationName, text: string): string;
  /** The same for a stream. */
  frames(operation: OperationName, stream: FrameStream): FrameStream;
  errorBody(error: A2AError): ErrorBody;
}

export interface RpcDialect extends Dialect<object> {
  /** Throws MethodNotFoundError, and VersionNotSupportedError for a method of another version. */
  operationOf(host: Host, request: HttpRequest, method: string): OperationName;
  /** Is an error of this streaming operation a stream of its own, with nothing in it but the error? */
  streamsErrors(request: HttpRequest, operation: OperationName): boolean;
}

export interface RestDialect extends Dialect<object> {
  /** Throws VersionNotSupportedError when the request asks for another version than the paths are of. */
  requireVersion(host: Host, request: HttpRequest): void;
  /** The media type of answers. */
  typeOf(request: HttpRequest): string;
}

/** 1.0 is spoken as it is. */
export const V1 = {
  version: '1.0' as const,
  extensionsHeader: 'a2a-extensions',
  requestedExtensions: ({ headers }: CallRequest) => headerOf(headers, 'a2a-extensions'),
  input: (_operation: OperationName, input: unknown) => input,
  result: (_operation: OperationName, text: string) => text,
  frames: (_operation: OperationName, stream: FrameStream) => stream,
};

export const RPC_V1: RpcDialect & Dialect<JsonRpcErrorObject> = Object.freeze({
  ...V1,
  errorBody: toJsonRpcError,
  // The version first: a method may be unknown because the version is another one.
  operationOf(host: Host, request: HttpRequest, method: string) {
    requireVersion(host, request);
    return operationOf(method);
  },
  streamsErrors: () => false,
});

export const REST_V1: RestDialect & Dialect<HttpErrorBody> = Object.freeze({
  ...V1,
  errorBody: toHttpErrorBody,
  requireVersion(host: Host, request: HttpRequest) {
    requireVersion(host, request, host.serveV03 ? '. Paths of A2A 0.3 begin with /v1' : '');
  },
  typeOf: restTypeOf,
});
