import type { Host } from '../host.js';
import { headerOf, type HttpHeaders, type HttpRequest, type TextAnswer } from '../http.js';
import { JSON_TYPE } from '../media-type.js';
import { FORWARDED } from '../origin.js';
import type { ServedCard, ServedCards } from './served-card.js';

/** Answers GET and HEAD of a card (section 8.2), with 304 for a client that has it. Rejects with AgentNotFoundError. */
export async function answerCard(
  host: Host,
  cards: ServedCards,
  request: HttpRequest,
  agentId: string | undefined,
): Promise<TextAnswer> {
  const agent = await (agentId === undefined ? host.agents.findDefault() : host.agents.find(agentId));
  const { url, forwarded } = request.origin;
  const card = cards.of(agent, url);
  // With CORS even for clients that name no origin: a cache may hand their answer to a browser.
  const cors = host.cors.headers(request.headers.origin);
  const headers = { ...cors, ...cachingOf(cors, forwarded), etag: card.etag, 'last-modified': card.lastModified };
  if (isFresh(request, card)) return { status: 304, headers, body: '' };
  return { status: 200, headers: { ...headers, 'content-type': JSON_TYPE }, body: card.body };
}

/** A card whose URLs come from headers that a client may be able to set is for that client alone. */
function cachingOf(cors: HttpHeaders, forwarded: boolean): HttpHeaders {
  if (!forwarded) return { 'cache-control': 'public, max-age=60' };
  return { 'cache-control': 'private, max-age=60', vary: [cors['vary'], ...FORWARDED].filter(Boolean).join(', ') };
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
