import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { parseJson, type Json } from './json.js';
import { WireFault, type WireLimits } from './wire-fault.js';

export interface HttpRequest {
  readonly method: string;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** The head of an answer; names of headers are lower case. */
export interface HttpHead {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}

export interface HttpReply extends HttpHead {
  readonly text: string;
  /** Throws WireFault when the body is not JSON. */
  json(): Json;
}

/** An answer whose body is still coming. Whoever opened it closes it. */
export interface HttpStream extends HttpHead {
  readonly chunks: AsyncIterable<Buffer>;
  close(): void;
}

/** One exchange on a connection of its own. Redirects are answers like any other: nothing is followed. Throws WireFault. */
export async function exchange(request: HttpRequest, limits: WireLimits): Promise<HttpReply> {
  const stream = await openExchange(request, limits);
  try {
    const text = await textOf(stream.chunks);
    return { status: stream.status, headers: stream.headers, text, json: () => parseJson(text, limits.maxDepth) };
  } finally {
    stream.close();
  }
}

/** As `exchange`, but answers with the head; the body is bounded all the same, in time and in bytes. */
export async function openExchange(request: HttpRequest, limits: WireLimits): Promise<HttpStream> {
  const timer = new AbortController();
  const timeout = setTimeout(() => timer.abort(), limits.timeoutMs);
  const late = (): WireFault => new WireFault(`no complete answer within ${limits.timeoutMs} ms`);
  try {
    const { message, close } = await send(request, timer.signal);
    const end = (): void => {
      clearTimeout(timeout);
      close();
    };
    return {
      status: message.statusCode ?? 0,
      headers: flat(message),
      chunks: bounded(message, limits.maxBytes, () => (timer.signal.aborted ? late() : undefined)),
      close: end,
    };
  } catch (error) {
    clearTimeout(timeout);
    if (timer.signal.aborted) throw late();
    throw error instanceof WireFault ? error : new WireFault(`no answer from ${hostOf(request.url)}: ${reasonOf(error)}`);
  }
}

function send(
  { method, url, headers, body }: HttpRequest,
  signal: AbortSignal,
): Promise<{ message: IncomingMessage; close(): void }> {
  return new Promise((resolve, reject) => {
    const start = new URL(url).protocol === 'https:' ? httpsRequest : httpRequest;
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const request = start(url, { method, headers: { ...headers, ...length }, signal, agent: false }, (message) =>
      resolve({ message, close: () => request.destroy() }),
    );
    request.on('error', reject);
    request.end(body);
  });
}

async function* bounded(message: IncomingMessage, maxBytes: number, fault: () => WireFault | undefined): AsyncIterable<Buffer> {
  let bytes = 0;
  try {
    for await (const chunk of message as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > maxBytes) throw new WireFault(`an answer of more than ${maxBytes} bytes`);
      yield chunk;
    }
  } catch (error) {
    throw error instanceof WireFault ? error : (fault() ?? new WireFault(`the answer broke off: ${reasonOf(error)}`));
  }
}

async function textOf(chunks: AsyncIterable<Buffer>): Promise<string> {
  const parts: Buffer[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  return Buffer.concat(parts).toString('utf8');
}

const flat = ({ headers }: IncomingMessage): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : (value ?? '')]),
  );

const hostOf = (url: string): string => new URL(url).host;

export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.message || ((error as NodeJS.ErrnoException).code ?? error.name);
}
