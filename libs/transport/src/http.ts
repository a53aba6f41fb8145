import type { IncomingHttpHeaders } from 'node:http';
import type { FrameStream } from '#core';
import type { A2AError } from '#protocol';

/** What the bindings need to know of an HTTP request, whatever server received it. */
export interface HttpRequest {
  readonly method: string;
  /** Path and query as they came, undecoded. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  /** The body as text; `''` when there is none. */
  readonly body: string;
  /** Scheme, host and prefix under which the client reaches this host, without a trailing slash. */
  readonly origin: string;
  /** Aborted when the client goes away. Made only when an operation waits. */
  signal(): AbortSignal;
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
  /** The event that tells of an error in mid-stream. */
  failure(error: A2AError): string;
}

export type HttpAnswer = TextAnswer | StreamAnswer;

export const isStream = (answer: HttpAnswer): answer is StreamAnswer => 'stream' in answer;

/** The first value of a header that may have come several times. */
export function headerOf(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}
