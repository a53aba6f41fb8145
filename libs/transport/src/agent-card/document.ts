import { headerOf, type HttpHeaders, type HttpRequest, type TextAnswer } from '../http.js';

/** What may be cached: a card, a key set. */
export interface CachedDocument {
  readonly body: string;
  readonly type: string;
  readonly etag: string;
  /** HTTP date, and the same in whole seconds since the epoch. */
  readonly modified?: { readonly date: string; readonly seconds: number };
}

/** Answers GET and HEAD of a document, with 304 for a client that has it. `headers` says for whom and for how long it is. */
export function answerDocument(request: HttpRequest, document: CachedDocument, headers: HttpHeaders): TextAnswer {
  const { body, type, etag, modified } = document;
  const validators = { ...headers, etag, ...(modified ? { 'last-modified': modified.date } : {}) };
  if (isFresh(request, document)) return { status: 304, headers: validators, body: '' };
  return { status: 200, headers: { ...validators, 'content-type': type }, body };
}

const WEAK = /^W\//;

/** RFC 9110, 13.1.2 and 13.2.2: tags are compared weakly, and If-Modified-Since counts only without an If-None-Match. */
function isFresh({ headers }: HttpRequest, { etag, modified }: CachedDocument): boolean {
  const noneMatch = headerOf(headers, 'if-none-match');
  if (noneMatch !== undefined) {
    const tags = ['*', etag.replace(WEAK, '')];
    return noneMatch.split(',').some((tag) => tags.includes(tag.trim().replace(WEAK, '')));
  }
  const since = Date.parse(headerOf(headers, 'if-modified-since') ?? '');
  return modified !== undefined && Number.isFinite(since) && modified.seconds * 1000 <= since;
}
