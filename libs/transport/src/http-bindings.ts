import { A2AError, MethodNotFoundError, UnavailableError } from '#protocol';
import { answerCard } from './agent-card/card-binding.js';
import { ServedCards } from './agent-card/served-card.js';
import { answerable } from './answerable.js';
import type { HttpAnswer, HttpRequest, TextAnswer } from './http.js';
import type { Host } from './invoke.js';
import { answerJsonRpc, jsonRpcFailure } from './json-rpc/json-rpc-binding.js';
import { pathOf } from './query.js';
import { preflightHeaders } from './response-headers.js';
import { answerRest, restFailure } from './rest/rest-binding.js';
import { routeOf } from './route.js';

/** Both HTTP bindings and the cards, as a function from a request to its answer. */
export class HttpBindings {
  readonly #cards = new ServedCards();
  #closing = false;

  constructor(private readonly host: Host) {}

  /** From here on every request is answered with 503; those under way are not touched. */
  close(): void {
    this.#closing = true;
  }

  /** Never rejects: an error is an answer, in the form of the binding that was asked. */
  async answer(request: HttpRequest): Promise<HttpAnswer> {
    if (this.#closing) return this.failure(request, new UnavailableError('This host is shutting down; try again'));
    if (request.method === 'OPTIONS') {
      return {
        status: 204,
        headers: preflightHeaders(request.headers['access-control-request-headers'] as string | undefined),
        body: '',
      };
    }
    const path = pathOf(request.url);
    const route = routeOf(request.method, path);
    switch (route.kind) {
      case 'json-rpc':
        return answerJsonRpc(this.host, request, route.agentId);
      case 'rest':
        return answerRest(this.host, request, route);
      case 'agent-card':
        return answerCard(this.host, this.#cards, request, route.agentId).catch((error: unknown) => this.failure(request, error));
      case 'not-found':
        return restFailure(request, new MethodNotFoundError(`${request.method} ${path}`, route.hint));
      case 'method-not-allowed': {
        const answer = this.failure(request, methodNotAllowed(request.method, route.allow));
        return { ...answer, headers: { ...answer.headers, allow: route.allow } };
      }
    }
  }

  /** `error` as an answer: a JSON-RPC error on a JSON-RPC base, else that of HTTP+JSON. */
  failure(request: HttpRequest, error: unknown): TextAnswer {
    const seen = answerable(error, this.host.logger);
    const route = routeOf(request.method, pathOf(request.url));
    const rpc = route.kind === 'json-rpc' || (route.kind === 'method-not-allowed' && route.rpc);
    return rpc ? jsonRpcFailure(null, seen) : restFailure(request, seen);
  }
}

const methodNotAllowed = (method: string, allow: string): A2AError =>
  new A2AError('MethodNotAllowedError', `${method} is not allowed here; allowed: ${allow}`, { allow });
