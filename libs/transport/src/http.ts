import type { IncomingHttpHeaders } from 'node:http';
import type { Caller, FrameStream } from '#core';
import type { Origin } from './origin.js';

/** What an operation needs to know of the request that asks for it, whatever the binding. */
export interface CallRequest {
  /** Path and query as they came, undecoded. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  /** The client's address, as far as trusted proxies tell; undefined when its connection is gone. */
  readonly clientAddress: string | undefined;
  /** The client's certificate, DER, if it has one that was verified. */
  readonly clientCertificate?: Uint8Array | undefined;
  /** Under what the client reaches this host over HTTP. */
  readonly origin: Origin;
  /** Aborted when the client goes away. Made only when an operation waits. */
  signal(): AbortSignal;
}

/** What the bindings need to know of an HTTP request, whatever server received it. */
export interface HttpRequest extends CallRequest {
  readonly method: string;
  /** The body as text; `''` when there is none. */
  readonly body: string;
}

/** A request, and who sent it. */
export interface Authenticated {
  readonly request: HttpRequest;
  readonly caller: Caller;
}

/** Header names are lower case. */
export type HttpHeaders = Readonly<Record<string, string>>;

export interface TextAnswer {
  readonly status: number;
  readonly headers: HttpHeaders;
  readonly body: string;
}

/** An answer as Server-Sent Events: each frame's payload between `before` and `after`. */
export interface StreamAnswer {
  readonly headers: HttpHeaders;
  readonly stream: FrameStream;
  readonly before: string;
  readonly after: string;
  /** The event that tells of an error in mid-stream; logs the error when nobody foresaw it. */
  failure(error: unknown): string;
}

export type HttpAnswer = TextAnswer | StreamAnswer;

export const isStream = (answer: HttpAnswer): answer is StreamAnswer => 'stream' in answer;

/** A header by its name in lower case. One that came several times is joined with commas by Node; only Set-Cookie is a list. */
export const headerOf = (headers: IncomingHttpHeaders, name: string): string | undefined => headers[name] as string | undefined;
