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

/** An empty body, and a `null` one, is no body. */
export const isEmpty = (body: string): boolean => body.length < 100 && /^\s*(?:null)?\s*$/.test(body);

/** The media type of an HTTP+JSON answer: A2A's own for a client that names it, else plain JSON, which every client reads. */
export function restTypeOf(request: HttpRequest): string {
  const accept = headerOf(request.headers, 'accept');
  const named = accept?.toLowerCase().includes(A2A_TYPE) || essenceOf(request.headers['content-type'] ?? '') === A2A_TYPE;
  return named ? A2A_TYPE : JSON_TYPE;
}
