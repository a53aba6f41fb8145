import { readSse, type Received } from './a2a-client.js';

/** An answer of the HTTP+JSON binding, with the text as it came. */
export interface RestAnswer {
  readonly status: number;
  readonly text: string;
}

/** A request that was not answered with a success; `text` is the body. */
export class RestError extends Error {
  constructor(
    asked: string,
    readonly status: number,
    readonly text: string,
  ) {
    super(`${asked}: ${status} ${text}`);
  }
}

/** A plain client of the HTTP+JSON binding for tests: paths and bodies are the test's own. */
export class RestClient {
  constructor(
    /** Of one agent. */
    readonly baseUrl: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {}

  async call(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<RestAnswer> {
    const response = await this.#fetch(method, path, body, headers);
    expect(response.headers.get('content-type')).toMatch(/^application\/json/);
    return { status: response.status, text: await response.text() };
  }

  /** The body of a success. */
  async ok<T>(method: string, path: string, body?: unknown): Promise<T> {
    const { status, text } = await this.call(method, path, body);
    if (status !== 200) throw new RestError(`${method} ${path}`, status, text);
    return JSON.parse(text) as T;
  }

  /** The frames of a stream, `text` as each came on its data line. */
  async *events(method: string, path: string, body?: unknown, lastEventId?: number): AsyncGenerator<Received & { text: string }> {
    const headers: Record<string, string> = lastEventId === undefined ? {} : { 'last-event-id': String(lastEventId) };
    const response = await this.#fetch(method, path, body, headers);
    if (response.status !== 200) throw new RestError(`${method} ${path}`, response.status, await response.text());
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    for await (const { id, data, event } of readSse(response)) {
      if (event !== undefined) throw new Error(`${event}: ${data}`);
      yield { id, response: JSON.parse(data), text: data };
    }
  }

  #fetch(method: string, path: string, body?: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
    return fetch(this.baseUrl + path, {
      method,
      headers: {
        'a2a-version': '1.0',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...this.headers,
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  }
}
