import { operationOf, type A2AError } from '#protocol';
import type { Host } from '../host.js';
import type { HttpAnswer, HttpRequest, TextAnswer } from '../http.js';
import { aboutCall, invoke, requireVersion, type Call } from '../invoke.js';
import { JSON_TYPE, requireJson } from '../media-type.js';
import { errorHeaders, extensionHeaders } from '../response-headers.js';
import { STREAM_HEADERS } from '../sse/event-stream.js';
import { toAnswerable } from '../to-answerable.js';
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
    const envelope = parseEnvelope(request.body, host.limits);
    if (envelope.id === undefined) return await notified(host, request, agentId, envelope);
    id = envelope.id;
    return await answered(host, request, agentId, envelope, id);
  } catch (error) {
    if (error instanceof EnvelopeError) return jsonRpcFailure(error.id, error.error);
    return jsonRpcFailure(id, toAnswerable(error, host.logger, { agentId }));
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
  const call = callOf(request, agentId, envelope);
  const { result, extensions } = await invoke(host, call);
  const before = resultHead(id);
  if (typeof result === 'string') {
    return { status: 200, headers: extensionHeaders(JSON_HEADERS, extensions), body: `${before}${result}}` };
  }
  const about = aboutCall(host, call);
  return {
    headers: extensionHeaders(STREAM_HEADERS, extensions),
    stream: result,
    before,
    after: '}',
    failure: (error) => `data: ${errorResponse(id, toAnswerable(error, host.logger, about))}\n\n`,
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
    const { result } = await invoke(host, callOf(request, agentId, envelope));
    if (typeof result !== 'string') result.close();
  } catch (error) {
    const { name } = toAnswerable(error, host.logger, { agentId });
    host.logger.debug('A notification failed', { agentId, error: name });
  }
  return { status: 204, headers: {}, body: '' };
}

/** Throws VersionNotSupportedError before anything else: a method may be unknown because the version is another one. */
function callOf(request: HttpRequest, agentId: string | undefined, { method, params }: JsonRpcRequest): Call {
  requireVersion(request);
  return { request, agentId, tenant: undefined, operation: operationOf(method), input: params, fromQuery: false };
}
