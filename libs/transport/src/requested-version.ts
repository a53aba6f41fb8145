import { negotiateVersion, VersionNotSupportedError } from '#protocol';
import { SUPPORTED_VERSIONS, type Host } from './host.js';
import { headerOf, type CallRequest } from './http.js';
import { queryParameter } from './query.js';

/** The version that a request names; `''` when it names none. The header wins over the query parameter, unless it is empty. */
export function requestedVersion({ headers, url }: CallRequest): string {
  return (headerOf(headers, 'a2a-version') || queryParameter(url, 'a2a-version') || '').trim();
}

/** Does the request speak 0.3? One that names no version does (section 3.6.2). */
export const asksForV03 = (request: CallRequest): boolean => /^(?:0\.3(?:\.\d+)?)?$/.test(requestedVersion(request));

/** For what only 1.0 has. Throws VersionNotSupportedError, which ends in `hint` for a client that speaks 0.3. */
export function requireVersion({ serveV03 }: Pick<Host, 'serveV03'>, request: CallRequest, hint = ''): void {
  if (request.headers['a2a-version'] === '1.0') return;
  if (asksForV03(request) && serveV03) {
    throw new VersionNotSupportedError(requestedVersion(request), SUPPORTED_VERSIONS, `. Send \`A2A-Version: 1.0\`${hint}`);
  }
  negotiateVersion(requestedVersion(request), serveV03 ? [...SUPPORTED_VERSIONS, '0.3'] : SUPPORTED_VERSIONS);
}
