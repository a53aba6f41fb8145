import { permit, type AnnouncedAgent, type CallContext, type FrameStream, type LogFields } from '#core';
import {
  activateExtensions,
  parseCancelTaskRequest,
  parseDeleteTaskPushNotificationConfigRequest,
  parseExtensions,
  parseGetExtendedAgentCardRequest,
  parseGetTaskPushNotificationConfigRequest,
  parseGetTaskRequest,
  parseListTaskPushNotificationConfigsRequest,
  parseListTasksRequest,
  parseSendMessageRequest,
  parseSubscribeToTaskRequest,
  parseTaskPushNotificationConfig,
  requireCapability,
  type OperationName,
  type SendMessageRequest,
} from '#protocol';
import { CallAudit } from './audit.js';
import { callContextOf, lastEventIdOf, type CallOrigin } from './call-context-of.js';
import { extendedCardFor } from './agent-card/extended-card.js';
import { capabilitiesOf, extensionsOf, type Host } from './host.js';
import { toAnswerable } from './to-answerable.js';

export interface Call extends CallOrigin {
  readonly agentId: string | undefined;
  readonly operation: OperationName;
  /** The request's message, not validated yet. */
  readonly input: unknown;
  /** `input` comes from a query string, where everything is text. */
  readonly fromQuery: boolean;
  /** URIs that the client names, as in the header. */
  readonly extensions: string | undefined;
}

export interface Outcome {
  /** ProtoJSON text, or the stream of a streaming operation. */
  readonly result: string | FrameStream;
  /** Activated extensions, to be echoed. */
  readonly extensions: readonly string[];
  /** Of a result that a client may keep for itself, and ask for again by it. */
  readonly etag?: string;
}

type Ran = Omit<Outcome, 'extensions'>;

/** Runs one operation for one request whose version is settled. Rejects with A2AErrors only, for what the caller is to see. */
export async function invoke(host: Host, call: Call): Promise<Outcome> {
  const audit = host.audit && new CallAudit(host.audit, call.request, call.caller, call.operation);
  try {
    const agent = await (call.agentId === undefined ? host.agents.findDefault() : host.agents.find(call.agentId));
    audit?.asks(agent.id);
    permit(call.caller, call.operation, agent.id);
    const extensions = activatedBy(call, agent, host);
    requireCapability(call.operation, capabilitiesOf(host, agent));
    const ran = await run(host, call, agent, extensions, audit);
    audit?.succeeded(taskIn(call));
    return { ...ran, extensions };
  } catch (error) {
    const seen = toAnswerable(error, host.logger, aboutCall(host, call));
    audit?.failed(seen, taskIn(call));
    throw seen;
  }
}

/** What a line of the log says of a call, whose input may be anything. */
export function aboutCall({ limits }: Host, { agentId, operation, tenant, input }: Call): LogFields {
  const { id, taskId, message, tenant: named } = fieldsOf(input);
  const shown = (...values: unknown[]): string | undefined =>
    values.find((value): value is string => typeof value === 'string' && value !== '' && value.length <= limits.maxIdLength);
  return { tenant: shown(tenant, named), agentId, operation, taskId: shown(id, taskId, fieldsOf(message)['taskId']) };
}

/** What the request names as its task; it may be anything. */
function taskIn({ input }: Call): unknown {
  const { id, taskId, message } = fieldsOf(input);
  return taskId ?? fieldsOf(message)['taskId'] ?? id;
}

const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};

const NO_EXTENSIONS: readonly string[] = Object.freeze([]);

function activatedBy({ extensions }: Call, agent: AnnouncedAgent, host: Host): readonly string[] {
  const declared = agent.card.capabilities?.extensions ?? [];
  // Those of the host are required by nobody.
  if (declared.length === 0 && extensions === undefined) return NO_EXTENSIONS;
  return activateExtensions(parseExtensions(extensions), [...declared, ...extensionsOf(host)]);
}

/** A configuration that comes with a message needs what the operation needs that makes one. */
function permitInlinePush({ configuration }: SendMessageRequest, host: Host, { caller }: Call, agent: AnnouncedAgent): void {
  if (configuration?.taskPushNotificationConfig === undefined) return;
  permit(caller, 'createTaskPushNotificationConfig', agent.id);
  requireCapability('createTaskPushNotificationConfig', capabilitiesOf(host, agent));
}

async function run(
  host: Host,
  call: Call,
  agent: AnnouncedAgent,
  extensions: readonly string[],
  audit: CallAudit | undefined,
): Promise<Ran> {
  const { handler, limits } = host;
  const { input, request } = call;
  const options = { fromQuery: call.fromQuery };
  const context = ({ tenant }: { readonly tenant?: string }): CallContext => {
    const ctx = callContextOf(call, agent, extensions, tenant, limits);
    return audit === undefined ? ctx : audit.follow(ctx);
  };
  switch (call.operation) {
    case 'sendMessage': {
      const parsed = parseSendMessageRequest(input, limits);
      permitInlinePush(parsed, host, call, agent);
      return { result: await handler.sendMessage(context(parsed), parsed, request.signal()) };
    }
    case 'sendStreamingMessage': {
      const parsed = parseSendMessageRequest(input, limits);
      permitInlinePush(parsed, host, call, agent);
      const ctx = context(parsed);
      return { result: await counted(host, call, () => handler.sendStreamingMessage(ctx, parsed)) };
    }
    case 'getTask': {
      const parsed = parseGetTaskRequest(input, limits, options);
      return { result: await handler.getTask(context(parsed), parsed) };
    }
    case 'listTasks': {
      const parsed = parseListTasksRequest(input, limits, options);
      return { result: await handler.listTasks(context(parsed), parsed) };
    }
    case 'cancelTask': {
      const parsed = parseCancelTaskRequest(input, limits, options);
      return { result: await handler.cancelTask(context(parsed), parsed) };
    }
    case 'subscribeToTask': {
      const parsed = parseSubscribeToTaskRequest(input, limits, options);
      const [ctx, lastEventId] = [context(parsed), lastEventIdOf(request)];
      return { result: await counted(host, call, () => handler.subscribeToTask(ctx, parsed, lastEventId)) };
    }
    case 'getExtendedAgentCard': {
      context(parseGetExtendedAgentCardRequest(input, limits, options));
      const { body, etag } = await extendedCardFor(host, agent, call);
      return { result: body, etag };
    }
    case 'createTaskPushNotificationConfig': {
      const parsed = parseTaskPushNotificationConfig(input, limits);
      return { result: await handler.createTaskPushNotificationConfig(context(parsed), parsed) };
    }
    case 'getTaskPushNotificationConfig': {
      const parsed = parseGetTaskPushNotificationConfigRequest(input, limits, options);
      return { result: await handler.getTaskPushNotificationConfig(context(parsed), parsed) };
    }
    case 'listTaskPushNotificationConfigs': {
      const parsed = parseListTaskPushNotificationConfigsRequest(input, limits, options);
      return { result: await handler.listTaskPushNotificationConfigs(context(parsed), parsed) };
    }
    case 'deleteTaskPushNotificationConfig': {
      const parsed = parseDeleteTaskPushNotificationConfigRequest(input, limits, options);
      return { result: await handler.deleteTaskPushNotificationConfig(context(parsed), parsed) };
    }
  }
}

/** A stream, as far as the caller may have one more; nothing else of a request is left to be refused then. */
const counted = ({ streamLimits }: Host, { caller }: Call, open: () => Promise<FrameStream>): Promise<FrameStream> =>
  streamLimits === undefined ? open() : streamLimits.open(caller, open);
