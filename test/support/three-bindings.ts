import { OPERATIONS, type OperationName } from '#protocol';
import { A2AClient, type Received } from './a2a-client.js';
import { GrpcClient } from './grpc-client.js';
import { refusalOf, type Refusal } from './refusal.js';
import { RestClient, RestError } from './rest-client.js';
import { restRequestOf } from './rest-request.js';

export type Json = Readonly<Record<string, unknown>>;
export type Headers = Readonly<Record<string, string>>;

/** What came of a call, in one form for every binding; a stream's result is its frames. */
export type Outcome = { readonly result: unknown } | { readonly error: Refusal };

/** One binding as an agent's clients use it: a request's ProtoJSON in, its result out. Headers are metadata over gRPC. */
export interface Binding {
  readonly name: string;
  /** Rejects with what `refusalOf` reads. */
  unary(operation: OperationName, request: Json, headers?: Headers): Promise<unknown>;
  /** The frames as they come. Throws what `refusalOf` reads. */
  frames(operation: OperationName, request: Json, headers?: Headers): AsyncGenerator<Received>;
}

/** Where the bindings of one API process are. */
export interface Endpoints {
  /** `http://host:port` */
  readonly url: string;
  /** `host:port` */
  readonly grpcAddress: string;
}

/** The three bindings of one agent, over connections of their own. */
export class ThreeBindings {
  readonly all: readonly Binding[];
  readonly #grpc: GrpcClient;

  constructor({ url, grpcAddress }: Endpoints, agentId: string) {
    this.#grpc = new GrpcClient(grpcAddress, agentId);
    this.all = [jsonRpcBinding(url, agentId), httpJsonBinding(url, agentId), grpcBinding(this.#grpc)];
  }

  close(): void {
    this.#grpc.close();
  }

  /**
   * What all of them answer, one after the other; fails when two answers differ in more than ids and times. `requestOf` is
   * asked for each, since some requests spend the task that they name.
   */
  async same(operation: OperationName, requestOf: () => Json | Promise<Json>, headers?: Headers): Promise<Outcome> {
    const outcomes: Outcome[] = [];
    for (const binding of this.all) {
      outcomes.push(withDefaults(operation, await outcomeOf(binding, operation, await requestOf(), headers)));
    }
    const [first, ...others] = outcomes.map(anonymous);
    for (const other of others) expect(other).toEqual(first);
    return outcomes[0] as Outcome;
  }
}

/** What comes of one call; of a stream, when it has ended. */
export async function outcomeOf(binding: Binding, operation: OperationName, request: Json, headers?: Headers): Promise<Outcome> {
  try {
    if (!STREAMING.has(operation)) return { result: await binding.unary(operation, request, headers) };
    const frames: Received[] = [];
    for await (const frame of binding.frames(operation, request, headers)) frames.push(frame);
    return { result: frames };
  } catch (error) {
    return { error: refusalOf(error) };
  }
}

const STREAMING: ReadonlySet<OperationName> = new Set(['sendStreamingMessage', 'subscribeToTask']);

/** Lists always say these (section 9.1), and protobuf cannot: on its wire a field that has its default value is absent. */
const withDefaults = (operation: OperationName, outcome: Outcome): Outcome =>
  'result' in outcome && DEFAULTS[operation] ? { result: { ...DEFAULTS[operation], ...(outcome.result as object) } } : outcome;

const DEFAULTS: { readonly [operation in OperationName]?: object } = {
  listTasks: { tasks: [], nextPageToken: '', totalSize: 0 },
  listTaskPushNotificationConfigs: { configs: [], nextPageToken: '' },
};

/** The same with ids and times by the order in which they appear: what differs between two runs of one script. */
export function anonymous(value: unknown): unknown {
  const seen: string[] = [];
  const text = JSON.stringify(value)
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, (id) => {
      if (!seen.includes(id)) seen.push(id);
      return `id-${seen.indexOf(id)}`;
    })
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'time');
  return JSON.parse(text);
}

function jsonRpcBinding(url: string, agentId: string): Binding {
  const client = (headers: Headers = {}) => new A2AClient(url, headers).agent(agentId);
  return {
    name: 'JSON-RPC',
    unary: (operation, request, headers) => client(headers).rpc(OPERATIONS[operation].method, request),
    frames: (operation, request, headers) => client(headers).events(OPERATIONS[operation].method, request),
  };
}

function httpJsonBinding(url: string, agentId: string): Binding {
  const client = (headers: Headers = {}) => new RestClient(`${url}/agents/${agentId}`, headers);
  return {
    name: 'HTTP+JSON',
    async unary(operation, request, headers) {
      const { method, path, body } = restRequestOf(operation, request);
      const { status, text } = await client(headers).call(method, path, body);
      if (status !== 200) throw new RestError(`${method} ${path}`, status, text);
      return JSON.parse(text);
    },
    async *frames(operation, request, headers) {
      const { method, path, body } = restRequestOf(operation, request);
      for await (const { id, response } of client(headers).events(method, path, body)) yield { id, response };
    },
  };
}

function grpcBinding(client: GrpcClient): Binding {
  const optionsOf = ({ 'last-event-id': lastEventId, ...metadata }: Headers = {}) => ({
    metadata: { ...metadata, ...(lastEventId === undefined ? {} : { 'a2a-last-event-id': lastEventId }) },
  });
  return {
    name: 'gRPC',
    unary: (operation, request, headers) => client.call(OPERATIONS[operation].method, request, optionsOf(headers)),
    frames: (operation, request, headers) => client.frames(OPERATIONS[operation].method, request, optionsOf(headers)),
  };
}
