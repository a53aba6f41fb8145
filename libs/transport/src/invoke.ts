import {
  ANONYMOUS,
  type AgentDirectory,
  type AnnouncedAgent,
  type CallContext,
  type FrameStream,
  type Logger,
  type RequestHandler,
} from '#core';
import {
  InvalidParamsError,
  activateExtensions,
  idFault,
  isName,
  negotiateVersion,
  parseCancelTaskRequest,
  parseExtensions,
  parseGetTaskRequest,
  parseListTasksRequest,
  parseSendMessageRequest,
  parseSubscribeToTaskRequest,
  requireCapability,
  UnsupportedOperationError,
  type AgentCapabilities,
  type Limits,
  type OperationName,
} from '#protocol';
import { headerOf, type HttpRequest } from './http.js';
import { queryParameter } from './query.js';

/** What both bindings stand on. */
export interface Host {
  readonly handler: RequestHandler;
  readonly agents: Pick<AgentDirectory, 'find' | 'findDefault'>;
  readonly limits: Limits;
  readonly logger: Logger;
}

/** Newest first. */
export const SUPPORTED_VERSIONS: readonly string[] = Object.freeze(['1.0']);

/** What every agent on this host can do; its card says the same. */
export const HOST_CAPABILITIES: AgentCapabilities = Object.freeze({
  streaming: true,
  pushNotifications: false,
  extendedAgentCard: false,
});

export interface Call {
  readonly request: HttpRequest;
  readonly agentId: string | undefined;
  /** The tenant in the path. */
  readonly tenant: string | undefined;
  readonly operation: OperationName;
  /** The request's message, not validated yet. */
  readonly input: unknown;
  /** `input` comes from a query string, where everything is text. */
  readonly fromQuery: boolean;
}

export interface Outcome {
  /** ProtoJSON text, or the stream of a streaming operation. */
  readonly result: string | FrameStream;
  /** Activated extensions, to be echoed. */
  readonly extensions: readonly string[];
}

/** Throws VersionNotSupportedError. The header wins over the query parameter of the same name. */
export function requireVersion(request: HttpRequest): void {
  const header = request.headers['a2a-version'];
  if (header === '1.0') return;
  negotiateVersion(headerOf(request.headers, 'a2a-version') ?? queryParameter(request.url, 'a2a-version'), SUPPORTED_VERSIONS);
}

/** Runs one operation for one request whose version is settled. Rejects with A2AErrors for what the caller is to see. */
export async function invoke(host: Host, call: Call): Promise<Outcome> {
  const agent = await (call.agentId === undefined ? host.agents.findDefault() : host.agents.find(call.agentId));
  const extensions = extensionsOf(call.request, agent);
  requireCapability(call.operation, HOST_CAPABILITIES);
  return { result: await run(host, call, agent, extensions), extensions };
}

const NONE: readonly string[] = Object.freeze([]);

function extensionsOf({ headers }: HttpRequest, agent: AnnouncedAgent): readonly string[] {
  const declared = agent.card.capabilities?.extensions;
  return declared === undefined || declared.length === 0
    ? NONE
    : activateExtensions(parseExtensions(headers['a2a-extensions']), declared);
}

async function run(host: Host, call: Call, agent: AnnouncedAgent, extensions: readonly string[]): Promise<string | FrameStream> {
  const { handler, limits } = host;
  const { input, request } = call;
  const options = { fromQuery: call.fromQuery };
  const context = ({ tenant }: { readonly tenant?: string }): CallContext => contextOf(host, call, agent, extensions, tenant);
  switch (call.operation) {
    case 'sendMessage': {
      const parsed = parseSendMessageRequest(input, limits);
      return handler.sendMessage(context(parsed), parsed, request.signal());
    }
    case 'sendStreamingMessage': {
      const parsed = parseSendMessageRequest(input, limits);
      return handler.sendStreamingMessage(context(parsed), parsed);
    }
    case 'getTask': {
      const parsed = parseGetTaskRequest(input, limits, options);
      return handler.getTask(context(parsed), parsed);
    }
    case 'listTasks': {
      const parsed = parseListTasksRequest(input, limits, options);
      return handler.listTasks(context(parsed), parsed);
    }
    case 'cancelTask': {
      const parsed = parseCancelTaskRequest(input, limits, options);
      return handler.cancelTask(context(parsed), parsed);
    }
    case 'subscribeToTask': {
      const parsed = parseSubscribeToTaskRequest(input, limits, options);
      return handler.subscribeToTask(context(parsed), parsed, lastEventIdOf(request));
    }
    default:
      throw new UnsupportedOperationError('This agent does not support this operation');
  }
}

function contextOf(
  host: Host,
  call: Call,
  agent: AnnouncedAgent,
  extensions: readonly string[],
  named: string | undefined,
): CallContext {
  const base = { tenant: tenantOf(call.tenant, named), principal: ANONYMOUS, agentId: agent.id, extensions };
  const idempotencyKey = headerOf(call.request.headers, 'idempotency-key');
  if (idempotencyKey === undefined || idempotencyKey === '') return base;
  const fault = idFault(idempotencyKey, host.limits);
  if (fault !== undefined) throw new InvalidParamsError([{ field: 'Idempotency-Key', description: fault }]);
  return { ...base, idempotencyKey };
}

/** The tenant that path and request agree on; `''` when neither names one. */
function tenantOf(inPath: string | undefined, named: string | undefined): string {
  if (named === undefined || named === '') return inPath ?? '';
  if (!isName(named))
    throw new InvalidParamsError([
      { field: 'tenant', description: 'must be 1 to 64 of A-Z a-z 0-9 . _ ~ - and not a reserved word' },
    ]);
  if (inPath === undefined || inPath === named) return named;
  throw new InvalidParamsError([{ field: 'tenant', description: `is ${named}, but the path names the tenant ${inPath}` }]);
}

function lastEventIdOf({ headers }: HttpRequest): number | undefined {
  const text = headerOf(headers, 'last-event-id');
  if (text === undefined || text === '') return undefined;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new InvalidParamsError([{ field: 'Last-Event-ID', description: 'must be the id of an event of this task: a number' }]);
}
