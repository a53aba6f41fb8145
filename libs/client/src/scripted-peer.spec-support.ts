import { GuardedFetch, OutboundPolicy } from '#outbound';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { A2AClient, type A2AClientSettings } from './a2a-client.js';
import { PeerDirectory } from './agent-card/peer-directory.js';
import type { PeerOptions } from './agent-card/peer-options.js';

export interface Heard {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: { readonly id?: number; readonly method?: string; readonly params?: Record<string, unknown> } & Record<
    string,
    unknown
  >;
}

export type Script = (heard: Heard, response: ServerResponse) => void | Promise<void>;

const QUICK: A2AClientSettings = { timeoutMs: 2000, patienceMs: 1500, idleMs: 1000, pollMs: { first: 5, longest: 20 } };

/** An HTTP server that does what a test says, and notes what it heard. */
export class ScriptedPeer {
  readonly heard: Heard[] = [];
  /** Answers what is no request for a card. */
  script: Script = (_heard, response) => void response.writeHead(500).end();
  /** Undefined: there is none. */
  card: object | undefined;
  /** What is answered where there is no card. */
  cardStatus = 404;
  readonly #fetch = new GuardedFetch(new OutboundPolicy('127.0.0.1'));

  private constructor(private readonly server: Server) {}

  static async start(): Promise<ScriptedPeer> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const peer = new ScriptedPeer(server);
    server.on('request', (request, response) => void peer.#answer(request, response));
    return peer;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Without those for the card. */
  get calls(): readonly Heard[] {
    return this.heard.filter(({ path }) => !path.includes('.well-known'));
  }

  client(options: PeerOptions = {}, settings: A2AClientSettings = {}, directory = new PeerDirectory()): A2AClient {
    return new A2AClient(this.url, { fetch: this.#fetch, directory }, options, { ...QUICK, ...settings });
  }

  /** A card of 1.0 with these interfaces. */
  offers(interfaces: readonly object[], more: object = {}): void {
    this.card = { name: 'peer', capabilities: { streaming: true }, supportedInterfaces: interfaces, ...more };
  }

  async close(): Promise<void> {
    await this.#fetch.close();
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = '';
    for await (const chunk of request) text += String(chunk);
    const { method = '', url: path = '', headers } = request;
    const heard = { method, path, headers, body: (text === '' ? {} : JSON.parse(text)) as Heard['body'] };
    this.heard.push(heard);
    if (!path.includes('.well-known')) return void (await this.script(heard, response));
    if (this.card && path.endsWith('agent-card.json')) json(response, this.card);
    else response.writeHead(this.cardStatus).end('no');
  }
}

export const json = (response: ServerResponse, body: object, status = 200): void =>
  void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

export const result = ({ body }: Heard, response: ServerResponse, value: object): void =>
  json(response, { jsonrpc: '2.0', id: body.id, result: value });

export const rpcError = ({ body }: Heard, response: ServerResponse, code: number, message = 'no'): void =>
  json(response, { jsonrpc: '2.0', id: body.id, error: { code, message } });

/** The events of a JSON-RPC stream; `cut` ends it as a connection that breaks. */
export function events(
  { body }: Heard,
  response: ServerResponse,
  list: readonly (readonly [number, object])[],
  cut = false,
): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const [id, value] of list)
    response.write(`id: ${id}\ndata: ${JSON.stringify({ jsonrpc: '2.0', id: body.id, result: value })}\n\n`);
  if (!cut) response.end();
  else setImmediate(() => response.destroy());
}

export const task = (state: string, more: object = {}): object => ({
  id: 't-1',
  contextId: 'c-1',
  status: { state: `TASK_STATE_${state}` },
  ...more,
});

export const status = (state: string): object => ({
  statusUpdate: { taskId: 't-1', contextId: 'c-1', status: { state: `TASK_STATE_${state}` } },
});

export const chunk = (text: string): object => ({
  artifactUpdate: { taskId: 't-1', contextId: 'c-1', artifact: { artifactId: 'a', parts: [{ text }] }, append: true },
});
