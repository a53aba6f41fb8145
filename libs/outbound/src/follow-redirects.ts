import { OutboundFailedError, OutboundRefusedError, OutboundTimeoutError } from './errors.js';
import type { GuardedFetch, OutboundRequest } from './guarded-fetch.js';

export interface RedirectingRequest extends OutboundRequest {
  /** `follow` (default): at most 5 of them; `manual`: a 3xx is an answer like another; `error`: it is an OutboundFailedError. */
  readonly redirect?: 'follow' | 'manual' | 'error';
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const MOST_REDIRECTS = 5;
const TIMEOUT_MS = 15_000;
/** What was meant for one origin, as a key in a header of its own, is not shown to another. */
const FOR_ANY_ORIGIN: ReadonlySet<string> = new Set(['accept', 'accept-language', 'content-type', 'user-agent']);

/**
 * `GuardedFetch.fetch` that goes where redirects lead: each place is judged anew, all of them share one time, and none leads from https to
 * http. As in the fetch standard a 303 is fetched by GET, as are a 301 and a 302 after a POST.
 */
export async function fetchFollowing(
  guarded: Pick<GuardedFetch, 'fetch'>,
  url: string | URL,
  { redirect = 'follow', timeoutMs = TIMEOUT_MS, ...request }: RedirectingRequest = {},
): Promise<Response> {
  const deadline = performance.now() + timeoutMs;
  let place = String(url);
  let asked: OutboundRequest = request;
  for (let followed = 0; ; followed += 1) {
    const leftMs = deadline - performance.now();
    if (leftMs <= 0) throw new OutboundTimeoutError(timeoutMs);
    const answer = await guarded.fetch(place, { ...asked, timeoutMs: Math.ceil(leftMs) });
    const location = answer.headers.get('location');
    if (redirect === 'manual' || !REDIRECTS.has(answer.status) || location === null) return answer;
    await answer.body?.cancel();
    if (redirect === 'error') throw new OutboundFailedError('The host redirects', 'REDIRECT');
    if (followed === MOST_REDIRECTS)
      throw new OutboundFailedError(`The host redirects more than ${MOST_REDIRECTS} times`, 'TOO_MANY_REDIRECTS');
    const next = placeOf(location, place);
    asked = redirected(asked, answer.status, next.origin === new URL(place).origin);
    place = next.href;
  }
}

function placeOf(location: string, from: string): URL {
  let next: URL;
  try {
    next = new URL(location, from);
  } catch {
    throw new OutboundRefusedError('malformed', location);
  }
  if (next.protocol !== 'https:' && new URL(from).protocol === 'https:') throw new OutboundRefusedError('scheme', next.href);
  return next;
}

function redirected(request: OutboundRequest, status: number, sameOrigin: boolean): OutboundRequest {
  const { body, method = body === undefined ? 'GET' : 'POST', ...rest } = request;
  const headers = new Headers(request.headers);
  if (!sameOrigin) for (const name of [...headers.keys()]) if (!FOR_ANY_ORIGIN.has(name)) headers.delete(name);
  const asGet = status === 303 ? method !== 'HEAD' : (status === 301 || status === 302) && method === 'POST';
  if (!asGet) return { ...rest, method, headers, ...(body === undefined ? {} : { body }) };
  headers.delete('content-type');
  return { ...rest, method: 'GET', headers };
}
