import { fetchFollowing, type RedirectingRequest } from './follow-redirects.js';
import type { OutboundRequest } from './guarded-fetch.js';

type Answers = Readonly<Record<string, { status: number; location?: string }>>;

/** A guard that answers by a table, and what it was asked. */
function answering(answers: Answers) {
  const asked: { url: string; method: string | undefined; body: unknown; headers: Record<string, string> }[] = [];
  const guarded = {
    async fetch(url: string | URL, { method, body, headers }: OutboundRequest = {}) {
      asked.push({ url: String(url), method, body, headers: Object.fromEntries(new Headers(headers)) });
      const { status, location } = answers[String(url)] ?? { status: 200 };
      return new Response('body', { status, headers: location === undefined ? {} : { location } });
    },
  };
  const get = (url: string, request?: RedirectingRequest): Promise<Response> => fetchFollowing(guarded, url, request);
  return { asked, get };
}

const A = 'https://a.example/';

describe('redirects', () => {
  it('are followed, relative ones too', async () => {
    const { asked, get } = answering({ [A]: { status: 302, location: '/b' }, [`${A}b`]: { status: 307, location: 'c' } });
    expect((await get(A)).status).toBe(200);
    expect(asked.map(({ url }) => url)).toEqual([A, `${A}b`, `${A}c`]);
  });

  it('take no credential to another origin', async () => {
    const { asked, get } = answering({ [A]: { status: 308, location: 'https://b.example/' } });
    const headers = {
      authorization: 'Bearer x',
      'x-api-key': 'k',
      cookie: 'c',
      accept: 'text/plain',
      'content-type': 'text/plain',
    };
    await get(A, { body: 'hi', headers });
    expect(asked[0]?.headers).toEqual(headers);
    expect(asked[1]).toMatchObject({ method: 'POST', body: 'hi' });
    expect(asked[1]?.headers).toEqual({ accept: 'text/plain', 'content-type': 'text/plain' });
  });

  it('take them along within an origin', async () => {
    const { asked, get } = answering({ [A]: { status: 302, location: '/b' } });
    await get(A, { headers: { authorization: 'Bearer x' } });
    expect(asked[1]?.headers).toEqual({ authorization: 'Bearer x' });
  });

  it.each([
    [301, 'POST', 'GET'],
    [302, 'POST', 'GET'],
    [303, 'PUT', 'GET'],
    [303, 'HEAD', 'HEAD'],
    [301, 'DELETE', 'DELETE'],
    [307, 'POST', 'POST'],
    [308, 'PUT', 'PUT'],
  ])('%i after %s is asked for by %s', async (status, method, then) => {
    const { asked, get } = answering({ [A]: { status, location: '/b' } });
    await get(A, { method, ...(method === 'HEAD' ? {} : { body: 'x' }) });
    expect(asked[1]).toMatchObject({ method: then, body: then === method && method !== 'HEAD' ? 'x' : undefined });
  });

  it('end: more than 5 are an error', async () => {
    const { asked, get } = answering({ [A]: { status: 302, location: A } });
    await expect(get(A)).rejects.toMatchObject({ code: 'TOO_MANY_REDIRECTS' });
    expect(asked).toHaveLength(6);
  });

  it('never lead from https to http, nor to what is no URL', async () => {
    await expect(answering({ [A]: { status: 302, location: 'http://a.example/' } }).get(A)).rejects.toMatchObject({
      reason: 'scheme',
    });
    await expect(answering({ [A]: { status: 302, location: 'https://' } }).get(A)).rejects.toMatchObject({ reason: 'malformed' });
  });

  it('are answers, or errors, to whoever asks for that', async () => {
    const answers = { [A]: { status: 302, location: '/b' } };
    expect((await answering(answers).get(A, { redirect: 'manual' })).status).toBe(302);
    await expect(answering(answers).get(A, { redirect: 'error' })).rejects.toMatchObject({ code: 'REDIRECT' });
  });

  it('share one time', async () => {
    const { get } = answering({ [A]: { status: 302, location: A } });
    await expect(get(A, { timeoutMs: 0 })).rejects.toMatchObject({ name: 'OutboundTimeoutError' });
  });
});
