import { ERROR_TABLE, KIND_FORM, OPERATIONS, type ErrorName, type OperationName, type SendMessageRequest } from '#protocol';
import type { PeerInterface } from '../agent-card/peer-interface.js';
import { PeerAnsweredError, PeerInvalidAnswerError, PeerNotServedError } from '../errors.js';
import type { HttpExchange, JsonAnswer } from '../http/http-exchange.js';
import type { ServerSentEvent } from '../http/server-sent-events.js';
import { fieldsOf } from '../wire/fields.js';
import { READ_V03 } from '../wire/v0_3.js';
import { READ_V1 } from '../wire/v1.js';
import type { Binding, Received, RequestOptions } from './binding.js';
import { reading } from './reading.js';

type Method = Extract<
  OperationName,
  'sendMessage' | 'sendStreamingMessage' | 'getTask' | 'cancelTask' | 'subscribeToTask' | 'listTasks'
>;

const V03_METHODS: Readonly<Record<Method, string | undefined>> = Object.freeze({
  sendMessage: 'message/send',
  sendStreamingMessage: 'message/stream',
  getTask: 'tasks/get',
  cancelTask: 'tasks/cancel',
  subscribeToTask: 'tasks/resubscribe',
  listTasks: undefined,
});

const METHOD_NOT_FOUND = -32601;

/** The first of a code is its A2A meaning; the rows of HTTP share codes. */
const NAMES = new Map<number, ErrorName>();
for (const [name, { code }] of Object.entries(ERROR_TABLE)) if (!NAMES.has(code)) NAMES.set(code, name as ErrorName);

/** JSON-RPC over HTTP, of 1.0 and of 0.3. */
export class JsonRpcBinding implements Binding {
  #id = 0;

  constructor(
    readonly peer: PeerInterface,
    private readonly exchange: HttpExchange,
  ) {}

  send(request: SendMessageRequest, options: RequestOptions) {
    return this.#call('sendMessage', this.#sendParams(request), options, this.#read.sendResponse);
  }

  get(request: Parameters<Binding['get']>[0], options: RequestOptions) {
    return this.#call('getTask', { ...request, ...this.#tenant }, options, this.#read.task);
  }

  cancel(request: Parameters<Binding['cancel']>[0], options: RequestOptions) {
    return this.#call('cancelTask', { ...request, ...this.#tenant }, options, this.#read.task);
  }

  list(request: Parameters<Binding['list']>[0], options: RequestOptions) {
    return this.#call('listTasks', { ...request, ...this.#tenant }, options, (value) => READ_V1.list(value));
  }

  stream(request: SendMessageRequest, options: RequestOptions): AsyncGenerator<Received> {
    return this.#events('sendStreamingMessage', this.#sendParams(request), options);
  }

  subscribe(request: Parameters<Binding['subscribe']>[0], options: RequestOptions): AsyncGenerator<Received> {
    return this.#events('subscribeToTask', { ...request, ...this.#tenant }, options);
  }

  get #read() {
    return this.peer.version === '1.0'
      ? {
          task: (value: unknown) => READ_V1.task(value),
          sendResponse: (value: unknown) => READ_V1.sendResponse(value),
          streamResponse: (value: unknown) => READ_V1.streamResponse(value),
        }
      : READ_V03;
  }

  get #tenant(): { tenant?: string } {
    const { tenant } = this.peer;
    return tenant === undefined ? {} : { tenant };
  }

  #sendParams({ message, configuration, metadata }: SendMessageRequest): object {
    if (this.peer.version === '1.0') return { message, configuration, metadata, ...this.#tenant };
    const { returnImmediately = false, acceptedOutputModes, historyLength } = configuration ?? {};
    return {
      message: KIND_FORM.message(message),
      configuration: { blocking: !returnImmediately, acceptedOutputModes, historyLength },
      metadata,
    };
  }

  #request(method: Method, params: object, { headers, ...options }: RequestOptions) {
    const name = this.peer.version === '1.0' ? OPERATIONS[method].method : V03_METHODS[method];
    if (name === undefined) throw new PeerNotServedError(this.exchange.agentUrl, `A2A 0.3 has no ${OPERATIONS[method].method}`);
    const body = { jsonrpc: '2.0', id: (this.#id += 1), method: name, params };
    return { ...options, body, headers: { ...headers, 'a2a-version': this.peer.version } };
  }

  async #call<T>(method: Method, params: object, options: RequestOptions, read: (result: unknown) => T): Promise<T> {
    const answer = await this.exchange.json(this.peer.url, this.#request(method, params, options));
    return reading(this.exchange.agentUrl, () => read(this.#resultOf(answer)));
  }

  async *#events(method: Method, params: object, options: RequestOptions): AsyncGenerator<Received> {
    const answer = await this.exchange.stream(this.peer.url, this.#request(method, params, options));
    const { agentUrl } = this.exchange;
    if ('json' in answer) {
      // Some agents answer a streaming method with the one result there is.
      yield reading(agentUrl, () => ({ response: this.#read.streamResponse(this.#resultOf(answer.json)) }));
      return;
    }
    for await (const event of answer.events) {
      yield reading(agentUrl, () => ({ ...idOf(event), response: this.#read.streamResponse(this.#resultOf(parsed(event))) }));
    }
  }

  #resultOf({ status, body }: JsonAnswer): unknown {
    const { agentUrl } = this.exchange;
    const { error, result } = fieldsOf(body, 'the answer');
    if (typeof error !== 'object' || error === null) {
      if (result !== undefined) return result;
      if (status === 404 || status === 405) throw new PeerNotServedError(agentUrl, `nothing is served there (${status})`);
      throw new PeerInvalidAnswerError(agentUrl, `the answer, of status ${status}, has neither result nor error`);
    }
    const { code, message, data } = fieldsOf(error, 'the error');
    if (code === METHOD_NOT_FOUND)
      throw new PeerNotServedError(agentUrl, `the agent does not know the method: ${String(message)}`);
    const details = Array.isArray(data) ? data : [];
    throw new PeerAnsweredError(agentUrl, NAMES.get(Number(code)), Number(code), String(message), details);
  }
}

const idOf = ({ id }: ServerSentEvent): { id?: string } => (id === undefined || id === '' ? {} : { id });

const parsed = ({ data }: ServerSentEvent): JsonAnswer => ({ status: 200, body: JSON.parse(data) as unknown });
