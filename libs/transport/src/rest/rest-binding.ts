import { JsonParseError, type A2AError } from '#protocol';
import { answerDocument } from '../agent-card/document.js';
import { REST_V1, type RestDialect } from '../dialect.js';
import type { Host } from '../host.js';
import type { Authenticated, HttpAnswer, HttpHeaders, HttpRequest, TextAnswer } from '../http.js';
import { aboutCall, invoke } from '../invoke.js';
import { isEmpty, requireJson } from '../media-type.js';
import { queryOf } from '../query.js';
import { errorHeaders, extensionHeaders, uncached } from '../response-headers.js';
import type { Route } from '../route.js';
import { STREAM_HEADERS } from '../sse/event-stream.js';
import { toAnswerable } from '../to-answerable.js';

/** What one caller may see: no cache may give it to another, and each use is asked for again, as the credential may be revoked. */
function forItsCaller({ cors }: Host, { headers: { origin } }: HttpRequest): HttpHeaders {
  const { vary = '', ...allowed } = cors.headers(origin);
  const names = [vary, 'Authorization', 'X-API-Key', 'Accept', 'A2A-Version'].filter(Boolean);
  return { ...allowed, 'cache-control': 'private, no-cache', vary: names.join(', ') };
}

export type RestRoute = Extract<Route, { kind: 'rest' }>;

/** Answers a request of the HTTP+JSON binding (section 11). Never rejects. */
export async function answerRest(
  host: Host,
  { request, caller }: Authenticated,
  route: RestRoute,
  dialect: RestDialect = REST_V1,
): Promise<HttpAnswer> {
  const { agentId, tenant, operation } = route;
  try {
    const hasBody = request.method === 'POST';
    if (hasBody) requireJson(request);
    dialect.requireVersion(host, request);
    const sent = withFields(hasBody ? parseBody(request.body) : queryOf(request.url), route.fields);
    const input = dialect.input(operation, sent);
    const call = {
      request,
      caller,
      version: dialect.version,
      agentId,
      tenant,
      operation,
      input,
      fromQuery: !hasBody,
      extensions: dialect.requestedExtensions(request),
    };
    const { result, extensions, etag } = await invoke(host, call);
    if (typeof result === 'string') {
      const type = dialect.typeOf(request);
      const body = dialect.result(operation, result);
      const headersWith = (headers: HttpHeaders) => extensionHeaders(headers, dialect.extensionsHeader, extensions);
      if (etag !== undefined) return answerDocument(request, { body, type, etag }, headersWith(forItsCaller(host, request)));
      return { status: 200, headers: headersWith(uncached(type)), body };
    }
    const about = aboutCall(host, call);
    return {
      headers: extensionHeaders(STREAM_HEADERS, dialect.extensionsHeader, extensions),
      stream: dialect.frames(operation, result),
      before: '',
      after: '',
      failure: (error) => `event: error\ndata: ${JSON.stringify(dialect.errorBody(toAnswerable(error, host.logger, about)))}\n\n`,
    };
  } catch (error) {
    return restFailure(request, toAnswerable(error, host.logger, { tenant, agentId, operation }), dialect);
  }
}

/** An error in the form of section 11.6, or in that of another version. */
export const restFailure = (request: HttpRequest, error: A2AError, dialect: RestDialect = REST_V1): TextAnswer => ({
  status: error.row.http,
  headers: errorHeaders(error, dialect.typeOf(request)),
  body: JSON.stringify(dialect.errorBody(error)),
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
