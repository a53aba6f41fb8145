import { ERROR_TABLE, PROTO_FORM, type ErrorName, type SendMessageRequest } from '#protocol';
import type { PeerInterface } from '../agent-card/peer-interface.js';
import { PeerAnsweredError, PeerNotServedError } from '../errors.js';
import type { HttpExchange, JsonAnswer } from '../http/http-exchange.js';
import { fieldsOf, type Fields } from '../wire/fields.js';
import { READ_V03 } from '../wire/v0_3.js';
import { READ_V1 } from '../wire/v1.js';
import type { Binding, Received, RequestOptions } from './binding.js';
import { reading } from './reading.js';

const REASONS = new Map<string, ErrorName>(Object.entries(ERROR_TABLE).map(([name, { reason }]) => [reason, name as ErrorName]));
const CODES = new Map<number, ErrorName>();
for (const [name, { code }] of Object.entries(ERROR_TABLE)) if (!CODES.has(code)) CODES.set(code, name as ErrorName);

/** Names that say the same as a 404 without a name. */
const NOT_SERVED: ReadonlySet<ErrorName> = new Set(['MethodNotFoundError', 'AgentNotFoundError', 'MethodNotAllowedError']);

/** HTTP+JSON: of 1.0 below the interface's URL, of 0.3 below `/v1` there, in the form of the proto. */
export class HttpJsonBinding implements Binding {
  constructor(
    readonly peer: PeerInterface,
    private readonly exchange: HttpExchange,
  ) {}

  async send(request: SendMessageRequest, options: RequestOptions) {
    const answer = await this.#post('/message:send', this.#sendBody(request), options);
    return this.#read(answer, (body) => this.#reader.sendResponse(body));
  }

  async get({ id, historyLength }: Parameters<Binding['get']>[0], options: RequestOptions) {
    const query: Record<string, string> = historyLength === undefined ? {} : { historyLength: String(historyLength) };
    const answer = await this.exchange.json(this.#url(`/tasks/${encodeURIComponent(id)}`, query), this.#request(options));
    return this.#read(answer, (body) => this.#reader.task(body));
  }

  async cancel({ id, metadata }: Parameters<Binding['cancel']>[0], options: RequestOptions) {
    const answer = await this.#post(`/tasks/${encodeURIComponent(id)}:cancel`, { metadata }, options);
    return this.#read(answer, (body) => this.#reader.task(body));
  }

  async list(request: Parameters<Binding['list']>[0], options: RequestOptions) {
    if (this.peer.version !== '1.0') throw new PeerNotServedError(this.exchange.agentUrl, 'A2A 0.3 has no ListTasks');
    const query = Object.entries(request).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, String(value)] as const],
    );
    const answer = await this.exchange.json(this.#url('/tasks', Object.fromEntries(query)), this.#request(options));
    return this.#read(answer, (body) => READ_V1.list(body));
  }

  stream(request: SendMessageRequest, options: RequestOptions): AsyncGenerator<Received> {
    return this.#events('POST', '/message:stream', this.#sendBody(request), options);
  }

  subscribe({ id }: Parameters<Binding['subscribe']>[0], options: RequestOptions): AsyncGenerator<Received> {
    const path = `/tasks/${encodeURIComponent(id)}:subscribe`;
    // 0.3 has it as GET in its text and as POST in its official servers; 1.0 as both.
    return this.peer.version === '1.0' ? this.#events('POST', path, {}, options) : this.#events('GET', path, undefined, options);
  }

  get #reader() {
    return this.peer.version === '1.0' ? READ_V1 : READ_V03;
  }

  #sendBody({ message, configuration, metadata }: SendMessageRequest): object {
    if (this.peer.version === '1.0') return { message, configuration, metadata };
    const { returnImmediately = false, acceptedOutputModes, historyLength } = configuration ?? {};
    return {
      message: PROTO_FORM.message(message),
      configuration: { blocking: !returnImmediately, acceptedOutputModes, historyLength },
      metadata,
    };
  }

  #url(path: string, query: Readonly<Record<string, string>> = {}): string {
    const { url, version, tenant } = this.peer;
    const base = url.replace(/\/+$/, '');
    const root = version === '0.3' && !base.endsWith('/v1') ? `${base}/v1` : base;
    const scope = tenant === undefined ? '' : `/${encodeURIComponent(tenant)}`;
    const search = new URLSearchParams(query).toString();
    return `${root}${scope}${path}${search === '' ? '' : `?${search}`}`;
  }

  #request({ headers, ...options }: RequestOptions) {
    return { ...options, headers: { ...headers, 'a2a-version': this.peer.version } };
  }

  #post(path: string, body: object, options: RequestOptions): Promise<JsonAnswer> {
    return this.exchange.json(this.#url(path), { ...this.#request(options), body });
  }

  async *#events(
    method: 'GET' | 'POST',
    path: string,
    body: object | undefined,
    options: RequestOptions,
  ): AsyncGenerator<Received> {
    const answer = await this.exchange.stream(this.#url(path), { ...this.#request(options), method, ...(body ? { body } : {}) });
    if ('json' in answer) {
      yield { response: this.#read(answer.json, (json) => this.#reader.streamResponse(json)) };
      return;
    }
    for await (const event of answer.events) {
      const body = reading(this.exchange.agentUrl, () => JSON.parse(event.data) as unknown);
      const response = this.#read({ status: 200, body }, (json) => this.#reader.streamResponse(json));
      yield { ...(event.id ? { id: event.id } : {}), response };
    }
  }

  /** An error may come with any status, and within a stream with none: it is known by its `error`, in 0.3 by its `code`. */
  #read<T>({ status, body }: JsonAnswer, read: (body: unknown) => T): T {
    return reading(this.exchange.agentUrl, () => {
      const fields = fieldsOf(body, 'the answer');
      const error = fields['error'] ?? (status >= 400 ? fields : undefined);
      if (error == null) return read(body);
      throw this.#error(status, typeof error === 'object' ? (error as Fields) : { message: error });
    });
  }

  #error(status: number, { code, message, details, data }: Fields): Error {
    const { agentUrl } = this.exchange;
    const list: unknown[] = Array.isArray(details) ? details : Array.isArray(data) ? data : [];
    const reason = list
      .map((detail) => (detail as { reason?: unknown } | null)?.reason)
      .find((value) => typeof value === 'string');
    const name = reason === undefined ? CODES.get(Number(code)) : REASONS.get(reason);
    // A 404 that names no task is the web server's, not the agent's.
    if ((status === 404 || status === 405) && (name === undefined || NOT_SERVED.has(name)))
      return new PeerNotServedError(agentUrl, `nothing is served there (${status})`);
    return new PeerAnsweredError(agentUrl, name, Number(code ?? status), String(message ?? status), list);
  }
}
