import type { AnnouncedAgent } from '#core';
import { AgentNotFoundError } from '#protocol';
import type { Host } from '../host.js';
import { headerOf, type HttpHeaders, type HttpRequest, type TextAnswer } from '../http.js';
import { JSON_TYPE } from '../media-type.js';
import { FORWARDED } from '../origin.js';
import { queryParameter } from '../query.js';
import type { CardForm } from './card-forms.js';
import { answerDocument } from './document.js';

export interface AskedCard {
  /** Absent for the default agent. */
  readonly agentId?: string;
  /** At the path of 0.3, where nothing but its form was ever served. */
  readonly legacy?: boolean;
}

/** Answers GET and HEAD of a card (section 8.2), with 304 for a client that has it. Rejects with AgentNotFoundError. */
export async function answerCard(host: Host, request: HttpRequest, asked: AskedCard): Promise<TextAnswer> {
  const { agentId, legacy = false } = asked;
  const agent = await (agentId === undefined ? host.agents.findDefault() : host.agents.find(agentId));
  const { origin } = request;
  const { forwarded } = origin;
  const options = {
    form: legacy ? '0.3' : formFor(host, request),
    isDefault: agentId === undefined || (await isDefaultAgent(host, agent)),
  } as const;
  const { body, etag, lastModified, modifiedSeconds } = await host.cards.of(agent, origin, options);
  const document = { body, type: JSON_TYPE, etag, modified: { date: lastModified, seconds: modifiedSeconds } };
  // With CORS even for clients that name no origin: a cache may hand their answer to a browser.
  const cors = host.cors.headers(request.headers.origin);
  const vary = [cors['vary'], ...(host.serveV03 && !legacy ? ['A2A-Version'] : []), ...(forwarded ? FORWARDED : [])].filter(
    Boolean,
  );
  return answerDocument(request, document, {
    ...cors,
    ...cachingOf(forwarded),
    ...(vary.length > 0 ? { vary: vary.join(', ') } : {}),
  });
}

/** Does the agent answer where none is named? */
export async function isDefaultAgent({ agents }: Pick<Host, 'agents'>, { id }: AnnouncedAgent): Promise<boolean> {
  try {
    return (await agents.findDefault()).id === id;
  } catch (error) {
    if (error instanceof AgentNotFoundError) return false;
    throw error;
  }
}

/** A client that says nothing of a version is one of 0.3, or any that looks at a card before it knows what to say. */
function formFor({ serveV03 }: Host, { headers, url }: HttpRequest): CardForm {
  if (!serveV03) return '1.0';
  const asked = headerOf(headers, 'a2a-version') || queryParameter(url, 'a2a-version') || '';
  return /^\s*(0\.3(\.\d+)?)?\s*$/.test(asked) ? 'both' : '1.0';
}

/** A card whose URLs come from headers that a client may be able to set is for that client alone. */
const cachingOf = (forwarded: boolean): HttpHeaders => ({ 'cache-control': `${forwarded ? 'private' : 'public'}, max-age=60` });
