import type { FrameStream } from '#core';
import type { A2AError, OperationName } from '#protocol';
import { RPC_V1, type RpcDialect } from '../dialect.js';
import type { Host } from '../host.js';
import type { Authenticated, HttpAnswer, StreamAnswer, TextAnswer } from '../http.js';
import { aboutCall, invoke, type Call } from '../invoke.js';
import { JSON_TYPE, requireJson } from '../media-type.js';
import { errorHeaders, extensionHeaders } from '../response-headers.js';
import { STREAM_HEADERS } from '../sse/event-stream.js';
import { toAnswerable } from '../to-answerable.js';
import { EnvelopeError, errorResponse, parseEnvelope, resultHead, statusOf, type JsonRpcId } from './envelope.js';

const JSON_HEADERS = Object.freeze({ 'content-type': JSON_TYPE });

/** Answers a POST on a JSON-RPC base (section 9). Never rejects. */
export async function answerJsonRpc(
  host: Host,
  { request, caller }: Authenticated,
  agentId: string | undefined,
  dialect: RpcDialect = RPC_V1,
): Promise<HttpAnswer> {
  let id: JsonRpcId = null;
  let operation: OperationName | undefined;
  try {
    requireJson(request);
    const { method, params, ...envelope } = parseEnvelope(request.body, host.limits);
    id = envelope.id ?? null;
    const callOf = (): Call => {
      operation = dialect.operationOf(host, request, method);
      const input = dialect.input(operation, params);
      const extensions = dialect.requestedExtensions(request);
      const about = { version: dialect.version, agentId, tenant: undefined, operation, extensions };
      return { request, caller, input, fromQuery: false, ...about };
    };
    if (envelope.id === undefined) return await notified(host, agentId, callOf);
    return await answered(host, callOf(), id, dialect);
  } catch (error) {
    if (error instanceof EnvelopeError) return jsonRpcFailure(error.id, error.error, dialect);
    const seen = toAnswerable(error, host.logger, { agentId });
    const streams = operation !== undefined && statusOf(seen) === 200 && dialect.streamsErrors(request, operation);
    return streams ? streamedFailure(id, seen, dialect) : jsonRpcFailure(id, seen, dialect);
  }
}

/** A JSON-RPC error as an HTTP answer. */
export const jsonRpcFailure = (id: JsonRpcId, error: A2AError, dialect: RpcDialect = RPC_V1): TextAnswer => ({
  status: statusOf(error),
  headers: errorHeaders(error, JSON_TYPE),
  body: errorResponse(id, dialect.errorBody(error)),
});

/** The same as the one event of a stream. */
function streamedFailure(id: JsonRpcId, error: A2AError, dialect: RpcDialect): StreamAnswer {
  const stream: FrameStream = {
    close: () => undefined,
    [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(error) }),
  };
  return {
    headers: STREAM_HEADERS,
    stream,
    before: '',
    after: '',
    failure: () => `data: ${errorResponse(id, dialect.errorBody(error))}\n\n`,
  };
}

async function answered(host: Host, call: Call, id: JsonRpcId, dialect: RpcDialect): Promise<HttpAnswer> {
  const { result, extensions } = await invoke(host, call);
  const before = resultHead(id);
  if (typeof result === 'string') {
    return {
      status: 200,
      headers: extensionHeaders(JSON_HEADERS, dialect.extensionsHeader, extensions),
      body: `${before}${dialect.result(call.operation, result)}}`,
    };
  }
  const about = aboutCall(host, call);
  return {
    headers: extensionHeaders(STREAM_HEADERS, dialect.extensionsHeader, extensions),
    stream: dialect.frames(call.operation, result),
    before,
    after: '}',
    failure: (error) => `data: ${errorResponse(id, dialect.errorBody(toAnswerable(error, host.logger, about)))}\n\n`,
  };
}

/** A notification is executed, and nothing is said of how it went. */
async function notified(host: Host, agentId: string | undefined, callOf: () => Call): Promise<TextAnswer> {
  try {
    const { result } = await invoke(host, callOf());
    if (typeof result !== 'string') result.close();
  } catch (error) {
    const { name } = toAnswerable(error, host.logger, { agentId });
    host.logger.debug('A notification failed', { agentId, error: name });
  }
  return { status: 204, headers: {}, body: '' };
}
