import { A2AError, MethodNotFoundError, UnavailableError, VersionNotSupportedError } from '#protocol';
import { AdminApi, isAdminPath } from './admin/admin-api.js';
import { answerCard } from './agent-card/card-binding.js';
import { answerAgentList } from './agent-list/agent-list-binding.js';
import { answerKeySet } from './agent-card/key-set-binding.js';
import { REST_V1, RPC_V1, type RestDialect, type RpcDialect } from './dialect.js';
import { admit } from './admission.js';
import { SUPPORTED_VERSIONS, type Host } from './host.js';
import type { Authenticated, HttpAnswer, HttpRequest, TextAnswer } from './http.js';
import { answerJsonRpc, jsonRpcFailure } from './json-rpc/json-rpc-binding.js';
import { answerProtectedResource } from './protected-resource.js';
import { pathOf } from './query.js';
import { asksForV03, requireVersion } from './requested-version.js';
import { withHeaders } from './response-headers.js';
import { answerRest, restFailure } from './rest/rest-binding.js';
import { routeOf, type Route } from './route.js';
import { toAnswerable } from './to-answerable.js';
import { REST_V03, RPC_V03 } from './v0_3/v03-dialects.js';
import { v03RouteOf, type V03Route } from './v0_3/v03-route.js';

/** The HTTP bindings of every version and the cards, as a function from a request to its answer. */
export class HttpBindings {
  readonly #admin: AdminApi;
  #closing = false;

  constructor(private readonly host: Host) {
    this.#admin = new AdminApi(host);
  }

  /** From here on every request is answered with 503; those under way are not touched. */
  close(): void {
    this.#closing = true;
  }

  /** Never rejects: an error is an answer, in the form of the binding that was asked. */
  async answer(request: HttpRequest): Promise<HttpAnswer> {
    if (this.#closing) return this.failure(request, new UnavailableError('This host is shutting down; try again'));
    const { method, headers } = request;
    if (method === 'OPTIONS') {
      const requested = headers['access-control-request-headers'] as string | undefined;
      return { status: 204, headers: this.host.cors.preflight(headers.origin, requested), body: '' };
    }
    if (isAdminPath(pathOf(request.url))) return this.#admin.answer(request);
    const route = routeOf(method, pathOf(request.url));
    switch (route.kind) {
      case 'json-rpc':
      case 'rest':
      case 'version-0.3':
      case 'agent-list':
        return this.#answerOperation(request, route).catch((error: unknown) => this.failure(request, error));
      case 'agent-card':
        if (route.legacy && !this.host.serveV03) return refusal(request, { kind: 'not-found' });
        return answerCard(this.host, request, route).catch((error: unknown) => this.failure(request, error));
      case 'key-set':
        return answerKeySet(this.host, request).then(
          (answer) => answer ?? refusal(request, { kind: 'not-found' }),
          (error: unknown) => this.failure(request, error),
        );
      case 'protected-resource':
        return answerProtectedResource(this.host, request, route.agentId).then(
          (answer) => answer ?? refusal(request, { kind: 'not-found' }),
          (error: unknown) => this.failure(request, error),
        );
      default:
        return refusal(request, route);
    }
  }

  /**
   * `error`, which came before the request could be read, as an answer: a JSON-RPC error on a JSON-RPC base, else that of
   * HTTP+JSON. A method that is not allowed is told of first: it is what the client has to change.
   */
  failure(request: HttpRequest, error: unknown): TextAnswer {
    const seen = toAnswerable(error, this.host.logger, { method: request.method });
    const route = routeOf(request.method, pathOf(request.url));
    if (route.kind === 'method-not-allowed' && seen.row.http !== 413 && seen.row.http < 500) return refusal(request, route);
    const rpc = route.kind === 'json-rpc' || (route.kind === 'method-not-allowed' && route.rpc);
    if (rpc) return jsonRpcFailure(null, seen, this.#rpcDialect(request));
    return restFailure(request, seen, route.kind === 'version-0.3' ? this.#v1PathDialect(request) : REST_V1);
  }

  #rpcDialect(request: HttpRequest): RpcDialect {
    return this.host.serveV03 && asksForV03(request) ? RPC_V03 : RPC_V1;
  }

  /** Of paths below `/v1`: an error is that of the version that the client speaks. */
  #v1PathDialect(request: HttpRequest): RestDialect {
    return this.host.serveV03 && asksForV03(request) ? REST_V03 : REST_V1;
  }

  /** Nothing of a request is read before it is known who sent it. Rejects when that cannot be known, or is too much. */
  async #answerOperation(request: HttpRequest, route: OperationRoute): Promise<HttpAnswer> {
    const { caller, headers } = await admit(this.host, request);
    return withHeaders(await this.#answerCaller({ request, caller }, route), headers);
  }

  #answerCaller(authenticated: Authenticated, route: OperationRoute): Promise<HttpAnswer> {
    switch (route.kind) {
      case 'json-rpc':
        return answerJsonRpc(this.host, authenticated, route.agentId, this.#rpcDialect(authenticated.request));
      case 'rest':
        return answerRest(this.host, authenticated, route);
      case 'version-0.3':
        return this.#answerV03(authenticated, route);
      case 'agent-list':
        return answerAgentList(this.host, authenticated.request, authenticated.caller);
    }
  }

  async #answerV03(authenticated: Authenticated, route: V03Route): Promise<HttpAnswer> {
    const { request } = authenticated;
    if (!this.host.serveV03) {
      const error = new VersionNotSupportedError('0.3', SUPPORTED_VERSIONS, '. Paths below /v1 are those of A2A 0.3');
      return restFailure(request, error);
    }
    try {
      if (!asksForV03(request)) requireVersion(this.host, request);
    } catch (error) {
      return this.failure(request, error);
    }
    if (!asksForV03(request)) {
      const asked = `${request.method} ${pathOf(request.url)}`;
      return restFailure(request, new MethodNotFoundError(asked, ' (a path of A2A 0.3; the request asks for version 1.0)'));
    }
    const found = v03RouteOf(request.method, route);
    return found.kind === 'rest' ? answerRest(this.host, authenticated, found, REST_V03) : refusal(request, found, REST_V03);
  }
}

/** Those that ask who sent the request. */
type OperationRoute = Extract<Route, { kind: 'json-rpc' | 'rest' | 'version-0.3' | 'agent-list' }>;
type Refused = Extract<Route, { kind: 'not-found' | 'method-not-allowed' }>;

function refusal(request: HttpRequest, route: Refused, dialect: RestDialect = REST_V1): TextAnswer {
  switch (route.kind) {
    case 'not-found':
      return restFailure(request, new MethodNotFoundError(`${request.method} ${pathOf(request.url)}`, route.hint), dialect);
    case 'method-not-allowed': {
      const error = methodNotAllowed(request.method, route.allow);
      const answer = route.rpc ? jsonRpcFailure(null, error) : restFailure(request, error, dialect);
      return { ...answer, headers: { ...answer.headers, allow: route.allow } };
    }
  }
}

const methodNotAllowed = (method: string, allow: string): A2AError =>
  new A2AError('MethodNotAllowedError', `${method} is not allowed here; allowed: ${allow}`, { allow });
