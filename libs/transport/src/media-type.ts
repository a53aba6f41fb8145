import { A2AError } from '#protocol';
import { headerOf, type HttpRequest } from './http.js';

export const JSON_TYPE = 'application/json';
export const A2A_TYPE = 'application/a2a+json';

const essenceOf = (contentType: string): string => (contentType.split(';', 1)[0] as string).trim().toLowerCase();

/**
 * Throws UnsupportedMediaTypeError for a body that is not JSON. A request without a body may say what it likes: official
 * clients send cancels, subscribes and deletes with any content type or none.
 */
export function requireJson(request: HttpRequest): void {
  const { 'content-type': contentType, 'content-encoding': encoding } = request.headers;
  if (request.body === '') return;
  if (encoding !== undefined && encoding !== 'identity') {
    throw new A2AError('UnsupportedMediaTypeError', `Send the body without Content-Encoding, not as ${encoding}`);
  }
  if (contentType === JSON_TYPE) return;
  const essence = essenceOf(contentType ?? '');
  if (essence === JSON_TYPE || essence === A2A_TYPE || isEmpty(request.body)) return;
  throw new A2AError(
    'UnsupportedMediaTypeError',
    `Send ${JSON_TYPE} or ${A2A_TYPE}, not ${essence || 'a body without a content type'}`,
  );
}

/** An empty body, and a `null` one, is no body, however many blanks are around it. */
export function isEmpty(body: string): boolean {
  if (body.startsWith('{')) return false;
  const text = body.trim();
  return text === '' || text === 'null';
}

/** The media type of an HTTP+JSON answer: A2A's own for a client that names it, else plain JSON, which every client reads. */
export function restTypeOf(request: HttpRequest): string {
  const accept = headerOf(request.headers, 'accept')?.toLowerCase();
  const range = accept?.includes(A2A_TYPE) ? accept.split(',').find((one) => essenceOf(one) === A2A_TYPE) : undefined;
  if (range !== undefined) return NOT_ACCEPTABLE.test(range) ? JSON_TYPE : A2A_TYPE;
  return essenceOf(request.headers['content-type'] ?? '') === A2A_TYPE ? A2A_TYPE : JSON_TYPE;
}

/** A client may name a type in order to say that it does not take it (RFC 9110, 12.4.2). */
const NOT_ACCEPTABLE = /;\s*q=0(?:\.0{0,3})?\s*(?:;|$)/;
