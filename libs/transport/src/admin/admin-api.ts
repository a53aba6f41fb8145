import { permitAdministration, type Caller } from '#core';
import { A2AError, InvalidRequestError, JsonParseError, MethodNotFoundError, toHttpErrorBody } from '#protocol';
import { admit } from '../admission.js';
import type { Host } from '../host.js';
import type { HttpRequest, TextAnswer } from '../http.js';
import { isEmpty, JSON_TYPE, requireJson } from '../media-type.js';
import { pathOf, queryOf } from '../query.js';
import { errorHeaders, uncached } from '../response-headers.js';
import { segmentsOf } from '../route.js';
import { toAnswerable } from '../to-answerable.js';
import { AdminAudit, type Change } from './admin-audit.js';
import { routesAt } from './admin-route.js';

const ADMIN = /^\/admin(?:\/|$)/;

/** Is the path one of the admin API? `path` is undecoded and without the query. */
export const isAdminPath = (path: string): boolean => ADMIN.test(path);

/**
 * What administrators can ask for over HTTP, below `/admin`. It is no part of A2A. Without authentication it is not there at all:
 * whoever owns the machine has the `chorus` command. Who may not administrate learns nothing of what is there.
 */
export class AdminApi {
  constructor(
    private readonly host: Pick<
      Host,
      'authentication' | 'callerLimits' | 'failedCredentials' | 'adminRoutes' | 'audit' | 'logger'
    >,
  ) {}

  /** Never rejects. */
  async answer(request: HttpRequest): Promise<TextAnswer> {
    try {
      const body = JSON.stringify(await this.#result(request));
      return { status: 200, headers: uncached(JSON_TYPE), body };
    } catch (error) {
      const seen = toAnswerable(error, this.host.logger, { admin: pathOf(request.url), method: request.method });
      const { allow } = seen.info;
      return {
        status: seen.row.http,
        headers: { ...errorHeaders(seen, JSON_TYPE), ...(allow === undefined ? {} : { allow }) },
        body: JSON.stringify(toHttpErrorBody(seen)),
      };
    }
  }

  async #result(request: HttpRequest): Promise<object> {
    const { method } = request;
    const asked = `${method} ${pathOf(request.url)}`;
    if (!this.host.authentication) throw new MethodNotFoundError(asked, ': the admin API needs CHORUS_AUTH');
    const { caller } = await admit(this.host, request);
    const audit = this.host.audit && new AdminAudit(this.host.audit, request, caller);
    try {
      const result = await this.#answerOf(request, caller, asked, audit);
      audit?.succeeded();
      return result;
    } catch (error) {
      const seen = toAnswerable(error, this.host.logger, { admin: pathOf(request.url), method });
      audit?.failed(seen);
      throw seen;
    }
  }

  async #answerOf(request: HttpRequest, caller: Caller, asked: string, audit: AdminAudit | undefined): Promise<object> {
    const { method } = request;
    permitAdministration(caller);
    const [, ...segments] = segmentsOf(pathOf(request.url)) ?? [];
    const found = routesAt(this.host.adminRoutes ?? [], segments);
    if (!found) throw new MethodNotFoundError(asked);
    const route = found.byMethod.get(method) ?? (method === 'HEAD' ? found.byMethod.get('GET') : undefined);
    if (!route) throw methodNotAllowed(method, [...found.byMethod.keys()]);
    audit?.goesTo(`${route.method} /admin/${route.path}`);
    const { parameters } = found;
    const changes = (change: Change): void => audit?.changes(change);
    return route.answer({ caller, parameters, query: queryOf(request.url), body: bodyOf(request), changes });
  }
}

const methodNotAllowed = (method: string, allowed: readonly string[]): A2AError => {
  const allow = [...allowed, ...(allowed.includes('GET') ? ['HEAD'] : [])].join(', ');
  return new A2AError('MethodNotAllowedError', `${method} is not allowed here; allowed: ${allow}`, { allow });
};

function bodyOf(request: HttpRequest): unknown {
  if (request.method === 'GET' || request.method === 'HEAD' || isEmpty(request.body)) return undefined;
  requireJson(request);
  let parsed: unknown;
  try {
    parsed = JSON.parse(request.body);
  } catch {
    throw new JsonParseError();
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    throw new InvalidRequestError('The body must be a JSON object');
  }
  return parsed;
}
