import { randomUUID } from 'node:crypto';
import { HttpJsonBinding } from '../bindings/http-json.js';
import { claim, skip, type Check, type CheckContext } from '../check.js';
import type { HttpReply } from '../wire/http.js';
import { at, excerpt, show } from '../wire/json.js';

const HTTP_JSON = ['HTTP+JSON'] as const;

/** What HTTP+JSON adds (section 11), with requests that are refused. */
export const HTTP_JSON_CHECKS: readonly Check[] = [
  {
    id: 'http.content-type',
    title: 'Answers are application/a2a+json or application/json',
    requirement: 'SHOULD',
    section: '11.1',
    mend: 'Answer with Content-Type: application/a2a+json, errors too.',
    bindings: HTTP_JSON,
    run: async (context) => {
      const { headers } = await getNothing(context);
      claim(
        /^application\/(a2a\+)?json\b/i.test(headers['content-type'] ?? ''),
        `Content-Type is ${headers['content-type'] ?? 'absent'}`,
      );
    },
  },
  {
    id: 'http.error-body',
    title: 'An error has the body of google.rpc.Status',
    requirement: 'MUST',
    section: '11.6',
    mend: 'Answer {"error":{"code":404,"status":"NOT_FOUND","message":"…","details":[…]}}, with the code of the HTTP status.',
    bindings: HTTP_JSON,
    run: async (context) => {
      const reply = await getNothing(context);
      const body = reply.json();
      claim(
        at(body, 'error', 'code') === reply.status,
        `error.code is ${show(at(body, 'error', 'code'))} under ${reply.status}`,
        show(body),
      );
      claim(typeof at(body, 'error', 'message') === 'string', 'error.message is missing', show(body));
    },
  },
  {
    id: 'http.malformed-json',
    title: 'A body that is no JSON is answered with 400',
    requirement: 'MUST',
    section: '11.6',
    mend: 'Answer 400 with an error body.',
    bindings: HTTP_JSON,
    run: async (context) => {
      const { text, status } = await http(context).send({ ...sendRequest(context), body: '{"message": ' });
      claim(status === 400, `it is answered with ${status}`, excerpt(text));
    },
  },
  {
    id: 'http.media-type',
    title: 'A body of another media type is refused as a fault of the client',
    requirement: 'SHOULD',
    section: '11.1',
    mend: 'Answer 415.',
    bindings: HTTP_JSON,
    run: async (context) => {
      const request = sendRequest(context);
      const headers = { ...request.headers, 'content-type': 'text/csv' };
      const { status, text } = await http(context).send({ ...request, headers, body: 'a,b' });
      claim(status >= 400 && status < 500, `it is answered with ${status}`, excerpt(text));
    },
  },
  {
    id: 'http.unknown-path',
    title: 'An unknown path is answered with 404 in JSON',
    requirement: 'SHOULD',
    section: '11.6',
    mend: 'Give the router a JSON answer for what it does not know.',
    bindings: HTTP_JSON,
    run: async (context) => {
      const { url, headers } = http(context).requestOf('GetTask', { id: randomUUID() });
      const reply = await http(context).send({ method: 'GET', url: url.replace('/tasks/', '/no-such-path/'), headers });
      claim(reply.status === 404, `it is answered with ${reply.status}`, excerpt(reply.text));
      reply.json();
    },
  },
];

const http = ({ binding }: CheckContext): HttpJsonBinding =>
  binding instanceof HttpJsonBinding ? binding : skip('not HTTP+JSON');

const getNothing = (context: CheckContext): Promise<HttpReply> =>
  http(context).send(http(context).requestOf('GetTask', { id: randomUUID() }));

const sendRequest = (context: CheckContext): ReturnType<HttpJsonBinding['requestOf']> =>
  http(context).requestOf('SendMessage', {});
