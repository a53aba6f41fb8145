import type { SendMessageResponse, StreamResponse, Task } from '#protocol';
import { randomUUID } from 'node:crypto';

/** A frame of a stream as a client sees it. */
export interface Received {
  readonly id: number | undefined;
  readonly response: StreamResponse;
}

export class RpcError extends Error {
  constructor(
    readonly code: number,
    message: string,
    readonly data: unknown,
  ) {
    super(`${code}: ${message}`);
  }
}

/** A plain A2A 1.0 client for tests: no retries, no hidden state, every header visible. */
export class A2AClient {
  #id = 0;

  constructor(
    readonly baseUrl: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {}

  /** The same client for one agent's base. */
  agent(agentId: string): A2AClient {
    return new A2AClient(`${this.baseUrl}/agents/${agentId}`, this.headers);
  }

  with(headers: Readonly<Record<string, string>>): A2AClient {
    return new A2AClient(this.baseUrl, { ...this.headers, ...headers });
  }

  async rpc<T>(method: string, params: unknown, signal?: AbortSignal): Promise<T> {
    const response = await this.post(this.baseUrl, { jsonrpc: '2.0', id: (this.#id += 1), method, params }, signal);
    const body = (await response.json()) as { result?: T; error?: { code: number; message: string; data: unknown } };
    if (body.error) throw new RpcError(body.error.code, body.error.message, body.error.data);
    return body.result as T;
  }

  async send(text: string, options: SendOptions = {}): Promise<SendMessageResponse> {
    return this.rpc('SendMessage', sendParams(text, options), options.signal);
  }

  /** Sends and returns the task; throws when the answer is a Message. */
  async sendForTask(text: string, options: SendOptions = {}): Promise<Task> {
    const { task } = await this.send(text, options);
    if (!task) throw new Error('the answer is not a task');
    return task;
  }

  async get(id: string, historyLength?: number): Promise<Task> {
    return this.rpc('GetTask', { id, ...(historyLength === undefined ? {} : { historyLength }) });
  }

  async cancel(id: string, metadata?: object): Promise<Task> {
    return this.rpc('CancelTask', { id, ...(metadata ? { metadata } : {}) });
  }

  async list(params: object = {}): Promise<{ tasks: Task[]; nextPageToken: string; pageSize: number; totalSize: number }> {
    return this.rpc('ListTasks', params);
  }

  stream(text: string, options: SendOptions = {}): AsyncGenerator<Received> {
    return this.events('SendStreamingMessage', sendParams(text, options), {}, options.signal);
  }

  subscribe(id: string, lastEventId?: number, signal?: AbortSignal): AsyncGenerator<Received> {
    const headers: Record<string, string> = lastEventId === undefined ? {} : { 'last-event-id': String(lastEventId) };
    return this.events('SubscribeToTask', { id }, headers, signal);
  }

  async *events(
    method: string,
    params: unknown,
    headers: Record<string, string> = {},
    signal?: AbortSignal,
  ): AsyncGenerator<Received> {
    const request = { jsonrpc: '2.0', id: (this.#id += 1), method, params };
    const response = await this.with({ accept: 'text/event-stream', ...headers }).post(this.baseUrl, request, signal);
    if (!response.headers.get('content-type')?.startsWith('text/event-stream')) {
      const { error } = (await response.json()) as { error: { code: number; message: string; data: unknown } };
      throw new RpcError(error.code, error.message, error.data);
    }
    for await (const { id, data } of readSse(response)) {
      const body = JSON.parse(data) as { result?: StreamResponse; error?: { code: number; message: string; data: unknown } };
      if (body.error) throw new RpcError(body.error.code, body.error.message, body.error.data);
      yield { id, response: body.result as StreamResponse };
    }
  }

  post(url: string, body: unknown, signal?: AbortSignal): Promise<Response> {
    return fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'a2a-version': '1.0', ...this.headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
      ...(signal ? { signal } : {}),
    });
  }
}

export interface SendOptions {
  readonly messageId?: string;
  readonly taskId?: string;
  readonly contextId?: string;
  readonly metadata?: object;
  readonly returnImmediately?: boolean;
  readonly historyLength?: number;
  readonly signal?: AbortSignal;
}

export function sendParams(
  text: string,
  { messageId, taskId, contextId, metadata, returnImmediately, historyLength }: SendOptions = {},
) {
  return {
    message: {
      messageId: messageId ?? randomUUID(),
      role: 'ROLE_USER',
      parts: [{ text }],
      ...(taskId ? { taskId } : {}),
      ...(contextId ? { contextId } : {}),
    },
    ...(metadata ? { metadata } : {}),
    ...(returnImmediately || historyLength !== undefined
      ? {
          configuration: {
            ...(returnImmediately ? { returnImmediately } : {}),
            ...(historyLength === undefined ? {} : { historyLength }),
          },
        }
      : {}),
  };
}

/** The events of an SSE body, as `id` and `data`; comments are skipped. */
export async function* readSse(response: Response): AsyncGenerator<{ id: number | undefined; data: string; event?: string }> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const bytes of response.body as unknown as AsyncIterable<Uint8Array>) {
    text += decoder.decode(bytes, { stream: true });
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const block = text.slice(0, end).split('\n');
      text = text.slice(end + 2);
      const field = (name: string) => block.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
      const data = field('data');
      const id = field('id');
      const event = field('event');
      if (data !== undefined) yield { id: id === undefined ? undefined : Number(id), data, ...(event ? { event } : {}) };
    }
  }
}

export const stateOf = (task: Task): string => task.status.state;

/** Polls GetTask until `done`; the way a client without a stream waits. */
export async function until(client: A2AClient, id: string, done: (task: Task) => boolean, timeoutMs = 20_000): Promise<Task> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const task = await client.get(id);
    if (done(task)) return task;
    if (Date.now() > deadline) throw new Error(`task ${id} is still ${stateOf(task)} after ${timeoutMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
