import { JsonParseError, toHttpErrorBody, type A2AError } from '#protocol';
import type { Host } from '../host.js';
import type { HttpAnswer, HttpRequest, TextAnswer } from '../http.js';
import { aboutCall, invoke, requireVersion } from '../invoke.js';
import { isEmpty, requireJson, restTypeOf } from '../media-type.js';
import { queryOf } from '../query.js';
import { errorHeaders, extensionHeaders, uncached } from '../response-headers.js';
import type { Route } from '../route.js';
import { STREAM_HEADERS } from '../sse/event-stream.js';
import { toAnswerable } from '../to-answerable.js';

export type RestRoute = Extract<Route, { kind: 'rest' }>;

/** Answers a request of the HTTP+JSON binding (section 11). Never rejects. */
export async function answerRest(host: Host, request: HttpRequest, route: RestRoute): Promise<HttpAnswer> {
  const { agentId, tenant, operation } = route;
  try {
    const hasBody = request.method === 'POST';
    if (hasBody) requireJson(request);
    requireVersion(request);
    const input = withFields(hasBody ? parseBody(request.body) : queryOf(request.url), route.fields);
    const call = { request, agentId, tenant, operation, input, fromQuery: !hasBody };
    const { result, extensions } = await invoke(host, call);
    if (typeof result === 'string') {
      return { status: 200, headers: extensionHeaders(uncached(restTypeOf(request)), extensions), body: result };
    }
    const about = aboutCall(host, call);
    return {
      headers: extensionHeaders(STREAM_HEADERS, extensions),
      stream: result,
      before: '',
      after: '',
      failure: (error) => `event: error\ndata: ${JSON.stringify(toHttpErrorBody(toAnswerable(error, host.logger, about)))}\n\n`,
    };
  } catch (error) {
    return restFailure(request, toAnswerable(error, host.logger, { tenant, agentId, operation }));
  }
}

/** An error in the form of section 11.6. */
export const restFailure = (request: HttpRequest, error: A2AError): TextAnswer => ({
  status: error.row.http,
  headers: errorHeaders(error, restTypeOf(request)),
  body: JSON.stringify(toHttpErrorBody(error)),
});

function parseBody(body: string): unknown {
  if (isEmpty(body)) return undefined;
  try {
    return JSON.parse(body);
  } catch {
    throw new JsonParseError();
  }
}

/** What stands in the path wins over the body. A body that is no object is left as it is: the parser says what is wrong with it. */
function withFields(input: unknown, fields: Readonly<Record<string, string>>): unknown {
  if (input === undefined) return fields;
  return typeof input === 'object' && !Array.isArray(input) ? { ...input, ...fields } : input;
}
