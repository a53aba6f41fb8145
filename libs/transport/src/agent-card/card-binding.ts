import { headerOf, type HttpRequest, type TextAnswer } from '../http.js';
import type { Host } from '../invoke.js';
import { JSON_TYPE } from '../media-type.js';
import { CORS_HEADERS } from '../response-headers.js';
import type { ServedCard, ServedCards } from './served-card.js';

/** Answers GET and HEAD of a card (section 8.2), with 304 for a client that has it. Rejects with AgentNotFoundError. */
export async function answerCard(
  host: Host,
  cards: ServedCards,
  request: HttpRequest,
  agentId: string | undefined,
): Promise<TextAnswer> {
  const agent = await (agentId === undefined ? host.agents.findDefault() : host.agents.find(agentId));
  const card = cards.of(agent, request.origin);
  // With CORS even for clients that name no origin: a cache may hand their answer to a browser.
  const headers = { ...CORS_HEADERS, etag: card.etag, 'last-modified': card.lastModified, 'cache-control': 'public, max-age=60' };
  if (isFresh(request, card)) return { status: 304, headers, body: '' };
  return { status: 200, headers: { ...headers, 'content-type': JSON_TYPE }, body: card.body };
}

/** RFC 9110, 13.2.2: If-Modified-Since counts only without an If-None-Match. */
function isFresh({ headers }: HttpRequest, { etag, modifiedSeconds }: ServedCard): boolean {
  const noneMatch = headerOf(headers, 'if-none-match');
  if (noneMatch !== undefined) {
    return noneMatch.split(',').some((tag) => ['*', etag].includes(tag.trim().replace(/^W\//, '')));
  }
  const since = Date.parse(headerOf(headers, 'if-modified-since') ?? '');
  return Number.isFinite(since) && modifiedSeconds * 1000 <= since;
}
