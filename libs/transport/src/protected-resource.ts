import { SCOPES, UnauthenticatedError } from '#protocol';
import { createHash } from 'node:crypto';
import { answerDocument } from './agent-card/document.js';
import type { Host } from './host.js';
import type { CallRequest, HttpRequest, TextAnswer } from './http.js';
import { JSON_TYPE } from './media-type.js';
import { FORWARDED } from './origin.js';
import { pathOf } from './query.js';
import { segmentsOf } from './route.js';

type Told = Pick<Host, 'authentication' | 'agents' | 'cors'>;

/**
 * Where a client gets tokens for this host, or for one agent of it (RFC 9728). Undefined where tokens are not accepted. Rejects with
 * AgentNotFoundError.
 */
export async function answerProtectedResource(
  { authentication, agents, cors }: Told,
  request: HttpRequest,
  agentId: string | undefined,
): Promise<TextAnswer | undefined> {
  const servers = authentication?.authorizationServers ?? [];
  if (servers.length === 0) return undefined;
  if (agentId !== undefined) await agents.find(agentId);
  const { url, forwarded } = request.origin;
  const body = JSON.stringify({
    resource: agentId === undefined ? url : `${url}/agents/${agentId}`,
    authorization_servers: servers,
    scopes_supported: SCOPES,
    bearer_methods_supported: ['header'],
  });
  const { vary, ...allowed } = cors.headers(request.headers.origin);
  const varies = [vary, ...(forwarded ? FORWARDED : [])].filter(Boolean).join(', ');
  const headers = {
    ...allowed,
    'cache-control': `${forwarded ? 'private' : 'public'}, max-age=300`,
    ...(varies && { vary: varies }),
  };
  const etag = `"${createHash('sha256').update(body).digest('base64url')}"`;
  return answerDocument(request, { body, type: JSON_TYPE, etag }, headers);
}

/** The same refusal, which says where it is told how to come by a token, when tokens are accepted (RFC 9728, 5.1). */
export function withResourceMetadata(
  { authentication }: Pick<Host, 'authentication'>,
  request: CallRequest,
  error: UnauthenticatedError,
): UnauthenticatedError {
  if ((authentication?.authorizationServers ?? []).length === 0) return error;
  const [first, agentId] = segmentsOf(pathOf(request.url)) ?? [];
  const resource = first === 'agents' && agentId !== undefined ? `/agents/${encodeURIComponent(agentId)}` : '';
  const metadata = `${request.origin.url}/.well-known/oauth-protected-resource${resource}`;
  return new UnauthenticatedError(error.message, `${error.challenge}, resource_metadata="${metadata.replaceAll('"', '%22')}"`);
}
