import { OutboundFailedError, OutboundTimeoutError, type GuardedFetch } from '#outbound';
import { PeerCredentialError, PeerInvalidAnswerError, PeerNotServedError, PeerUnavailableError } from '../errors.js';
import { EventTooLongError, serverSentEvents, type ServerSentEvent } from './server-sent-events.js';

export type OutboundFetch = Pick<GuardedFetch, 'fetch'>;

export interface ExchangeRequest {
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

export interface JsonAnswer {
  readonly status: number;
  /** Undefined where the body is no JSON. */
  readonly body: unknown;
}

/** An event stream, or the JSON that came in its place. */
export type StreamAnswer = { readonly events: AsyncGenerator<ServerSentEvent> } | { readonly json: JsonAnswer };

export interface ExchangeLimits {
  /** Of a JSON answer, in bytes. */
  readonly maxAnswerBytes: number;
  /** Of one event of a stream, in bytes. */
  readonly maxEventBytes: number;
  /** A stream that is silent for so long counts as cut, in milliseconds. */
  readonly idleMs: number;
}

/** The request was never on the wire. */
const NEVER_SENT = /^(ECONNREFUSED|ENOTFOUND|ENODATA|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|EAI_|ESERVFAIL|.*CERT|ERR_(SSL|TLS))/;
const TRY_AGAIN: ReadonlySet<number> = new Set([408, 425, 429, 502, 503, 504]);
const LONGEST_RETRY_AFTER_S = 3600;

/**
 * HTTP with one agent, its failures told apart by what they say of the request: PeerCredentialError, PeerUnavailableError,
 * PeerNotServedError, PeerInvalidAnswerError. What the outbound policy forbids stays an OutboundRefusedError, the caller's abort its reason.
 */
export class HttpExchange {
  constructor(
    readonly agentUrl: string,
    private readonly fetch: OutboundFetch,
    private readonly limits: ExchangeLimits,
  ) {}

  /** A JSON answer of any status that has a meaning of its own in A2A: errors have bodies that the binding reads. */
  async json(url: string, request: ExchangeRequest): Promise<JsonAnswer> {
    const response = await this.#fetch(url, request, { accept: 'application/json', maxBytes: this.limits.maxAnswerBytes });
    return this.#jsonOf(response);
  }

  async stream(url: string, request: ExchangeRequest): Promise<StreamAnswer> {
    const response = await this.#fetch(url, request, {
      accept: 'text/event-stream, application/json;q=0.9',
      maxBytes: Infinity,
      idleTimeoutMs: this.limits.idleMs,
    });
    const isStream = response.headers.get('content-type')?.toLowerCase().startsWith('text/event-stream') === true;
    if (response.status !== 200 || !isStream) return { json: await this.#jsonOf(response) };
    return { events: this.#events(response) };
  }

  async #fetch(
    url: string,
    { method, headers, body, timeoutMs, signal }: ExchangeRequest,
    { accept, ...limits }: { accept: string; maxBytes: number; idleTimeoutMs?: number },
  ): Promise<Response> {
    try {
      return await this.fetch.fetch(url, {
        ...(method ? { method } : {}),
        headers: { accept, ...(body ? { 'content-type': 'application/json' } : {}), ...headers },
        ...(body ? { body: JSON.stringify(body) } : {}),
        timeoutMs,
        ...(signal ? { signal } : {}),
        ...limits,
      });
    } catch (error) {
      throw this.#failure(error);
    }
  }

  async #jsonOf(response: Response): Promise<JsonAnswer> {
    const { status } = response;
    let text: string;
    try {
      text = await response.text();
    } catch (error) {
      throw this.#failure(error);
    }
    if (status === 401 || status === 403) throw new PeerCredentialError(this.agentUrl, status);
    if (TRY_AGAIN.has(status)) {
      const submitted = status === 429 || status === 425 ? 'no' : 'unknown';
      throw new PeerUnavailableError(this.agentUrl, `the agent answers with ${status}`, submitted, retryAfterMs(response));
    }
    const body = parse(text);
    if (typeof body !== 'object' || body === null) this.#refuseBare(status);
    return { status, body };
  }

  /** The answer has no body that could say more than its status. */
  #refuseBare(status: number): never {
    if (status === 404 || status === 405) throw new PeerNotServedError(this.agentUrl, `nothing is served there (${status})`);
    if (status >= 500) throw new PeerUnavailableError(this.agentUrl, `the agent answers with ${status}`, 'unknown');
    throw new PeerInvalidAnswerError(this.agentUrl, `the answer, of status ${status}, is no JSON object`);
  }

  async *#events(response: Response): AsyncGenerator<ServerSentEvent> {
    try {
      const chunks = response.body as unknown as AsyncIterable<Uint8Array>;
      yield* serverSentEvents(chunks, this.limits.maxEventBytes);
    } catch (error) {
      if (error instanceof EventTooLongError) throw new PeerInvalidAnswerError(this.agentUrl, error.message);
      throw this.#failure(error);
    }
  }

  #failure(error: unknown): unknown {
    if (error instanceof OutboundTimeoutError) {
      const submitted = error.timeoutMs === undefined ? 'no' : 'unknown';
      return new PeerUnavailableError(this.agentUrl, error.message, submitted, undefined, error);
    }
    if (!(error instanceof OutboundFailedError)) return error;
    if (error.code === 'ANSWER_TOO_LONG') return new PeerInvalidAnswerError(this.agentUrl, error.message);
    const submitted = NEVER_SENT.test(error.code) ? 'no' : 'unknown';
    return new PeerUnavailableError(this.agentUrl, error.message, submitted, undefined, error);
  }
}

/** `Retry-After` in seconds; its other form, a date, says nothing without a common clock. */
function retryAfterMs(response: Response): number | undefined {
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  return seconds >= 0 ? Math.min(seconds, LONGEST_RETRY_AFTER_S) * 1000 : undefined;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
