import { operationOf, type A2AError } from '#protocol';
import { answerable } from '../answerable.js';
import type { HttpAnswer, HttpRequest, TextAnswer } from '../http.js';
import { invoke, requireVersion, type Host } from '../invoke.js';
import { JSON_TYPE, requireJson } from '../media-type.js';
import { errorHeaders, extensionHeaders } from '../response-headers.js';
import { STREAM_HEADERS } from '../sse/event-stream.js';
import {
  EnvelopeError,
  errorResponse,
  parseEnvelope,
  resultHead,
  statusOf,
  type JsonRpcId,
  type JsonRpcRequest,
} from './envelope.js';

const JSON_HEADERS = Object.freeze({ 'content-type': JSON_TYPE });

/** Answers a POST on a JSON-RPC base (section 9). Never rejects. */
export async function answerJsonRpc(host: Host, request: HttpRequest, agentId: string | undefined): Promise<HttpAnswer> {
  let id: JsonRpcId = null;
  try {
    requireJson(request);
    const envelope = parseEnvelope(request.body);
    if (envelope.id === undefined) return await notified(host, request, agentId, envelope);
    id = envelope.id;
    return await answered(host, request, agentId, envelope, id);
  } catch (error) {
    if (error instanceof EnvelopeError) return jsonRpcFailure(error.id, error.error);
    return jsonRpcFailure(id, answerable(error, host.logger, { agentId }));
  }
}

/** A JSON-RPC error as an HTTP answer. */
export const jsonRpcFailure = (id: JsonRpcId, error: A2AError): TextAnswer => ({
  status: statusOf(error),
  headers: errorHeaders(error, JSON_TYPE),
  body: errorResponse(id, error),
});

async function answered(
  host: Host,
  request: HttpRequest,
  agentId: string | undefined,
  envelope: JsonRpcRequest,
  id: JsonRpcId,
): Promise<HttpAnswer> {
  const { result, extensions } = await perform(host, request, agentId, envelope);
  const before = resultHead(id);
  if (typeof result === 'string') {
    return { status: 200, headers: extensionHeaders(JSON_HEADERS, extensions), body: `${before}${result}}` };
  }
  return {
    headers: extensionHeaders(STREAM_HEADERS, extensions),
    stream: result,
    before,
    after: '}',
    failure: (error) => `data: ${errorResponse(id, error)}\n\n`,
  };
}

/** A notification is executed, and nothing is said of how it went. */
async function notified(
  host: Host,
  request: HttpRequest,
  agentId: string | undefined,
  envelope: JsonRpcRequest,
): Promise<TextAnswer> {
  try {
    const { result } = await perform(host, request, agentId, envelope);
    if (typeof result !== 'string') result.close();
  } catch (error) {
    const { name } = answerable(error, host.logger, { agentId });
    host.logger.debug('A notification failed', { agentId, error: name });
  }
  return { status: 204, headers: {}, body: '' };
}

function perform(host: Host, request: HttpRequest, agentId: string | undefined, { method, params }: JsonRpcRequest) {
  requireVersion(request);
  const operation = operationOf(method);
  return invoke(host, { request, agentId, tenant: undefined, operation, input: params, fromQuery: false });
}
