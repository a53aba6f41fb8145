import { randomUUID } from 'node:crypto';
import { errorOf, JsonRpcBinding } from '../bindings/json-rpc.js';
import { claim, skip, type Check, type CheckContext } from '../check.js';
import { exchange } from '../wire/http.js';
import { excerpt, isObject, member, show, type Json } from '../wire/json.js';

const JSON_RPC = ['JSONRPC'] as const;

const getNothing = (more: { [key: string]: Json }): Json => ({
  jsonrpc: '2.0',
  method: 'GetTask',
  params: { id: randomUUID() },
  ...more,
});

/** The envelope of JSON-RPC 2.0 (section 9), with requests that are refused or change nothing. */
export const JSON_RPC_CHECKS: readonly Check[] = [
  {
    id: 'rpc.envelope',
    title: 'An answer is a JSON-RPC 2.0 response with the id of its request',
    requirement: 'MUST',
    section: '9.1',
    mend: 'Answer {"jsonrpc":"2.0","id":…} with exactly one of result and error, as application/json.',
    bindings: JSON_RPC,
    run: async (context) => {
      const id = `probe-${randomUUID()}`;
      const reply = await rpc(context).post(getNothing({ id }));
      const body = reply.json();
      claim(
        /^application\/json\b/i.test(reply.headers['content-type'] ?? ''),
        `Content-Type is ${reply.headers['content-type'] ?? 'absent'}`,
      );
      claim(isObject(body) && body['jsonrpc'] === '2.0', `jsonrpc is ${show(member(body, 'jsonrpc'))}`, show(body));
      claim(body['id'] === id, `the id is ${show(body['id'])}, not ${id}`);
      claim('error' in body !== 'result' in body, 'not exactly one of result and error', show(body));
      const error = member(body, 'error');
      if (error === undefined) return;
      claim(
        Number.isInteger(member(error, 'code')) && typeof member(error, 'message') === 'string',
        'an error without code or message',
        show(body),
      );
    },
  },
  {
    id: 'rpc.ids',
    title: 'Numbers and texts come back as ids unchanged',
    requirement: 'MUST',
    section: '9.3',
    mend: 'Echo the id with its type: 7 is not "7".',
    bindings: JSON_RPC,
    run: async (context) => {
      for (const id of [7, '7', 0, '']) {
        const body = (await rpc(context).post(getNothing({ id }))).json();
        claim(member(body, 'id') === id, `the id ${show(id)} comes back as ${show(member(body, 'id'))}`, show(body));
      }
    },
  },
  {
    id: 'rpc.parse-error',
    title: 'What is no JSON is answered with -32700 and the id null',
    requirement: 'MUST',
    section: '9.5',
    mend: 'Answer {"jsonrpc":"2.0","id":null,"error":{"code":-32700,…}}.',
    bindings: JSON_RPC,
    run: async (context) => expectCode(context, '{"jsonrpc": "2.0", "method"', -32700, null),
  },
  {
    id: 'rpc.invalid-request',
    title: 'A request without a method is answered with -32600 and its id',
    requirement: 'MUST',
    section: '9.5',
    mend: 'Tell apart what is no request (-32600) from an unknown method (-32601).',
    bindings: JSON_RPC,
    run: async (context) => expectCode(context, { jsonrpc: '2.0', id: 'no-method' }, -32600, 'no-method'),
  },
  {
    id: 'rpc.wrong-version',
    title: 'A request of another JSON-RPC version is answered with -32600',
    requirement: 'MUST',
    section: '9.5',
    mend: 'Refuse a jsonrpc that is not exactly "2.0".',
    bindings: JSON_RPC,
    run: async (context) => expectCode(context, getNothing({ jsonrpc: '1.0', id: 'old' }), -32600, 'old'),
  },
  {
    id: 'rpc.invalid-id',
    title: 'An id that is neither text, number nor null is answered with -32600',
    requirement: 'MUST',
    section: '9.3',
    mend: 'Refuse ids of other types, with the id null.',
    bindings: JSON_RPC,
    run: async (context) => expectCode(context, getNothing({ id: { a: 1 } }), -32600, null),
  },
  {
    id: 'rpc.empty-batch',
    title: 'An empty batch is answered with -32600',
    requirement: 'MUST',
    section: '9.5',
    mend: 'Refuse an empty array with one error and the id null (JSON-RPC 2.0, section 6).',
    bindings: JSON_RPC,
    run: async (context) => expectCode(context, [], -32600, null),
  },
  {
    id: 'rpc.batch',
    title: 'A batch is answered as one, or refused with -32600',
    requirement: 'MUST',
    section: '9.5',
    mend: 'Refuse batches with one -32600 and the id null, or answer an array with one response for each request.',
    bindings: JSON_RPC,
    run: async (context) => {
      const body = (await rpc(context).post([getNothing({ id: 'one' }), getNothing({ id: 'two' })])).json();
      if (!Array.isArray(body)) return claimCode(body, -32600, null);
      const ids = body.map((one) => member(one, 'id')).sort();
      claim(show(ids) === show(['one', 'two']), 'the batch is not answered one by one', show(body));
    },
  },
  {
    id: 'rpc.unknown-method',
    title: 'An unknown method is answered with -32601',
    requirement: 'MUST',
    section: '9.5',
    mend: 'Answer -32601 with the id of the request.',
    bindings: JSON_RPC,
    run: async (context) => expectCode(context, getNothing({ id: 'x', method: 'NoSuchMethod' }), -32601, 'x'),
  },
  {
    id: 'rpc.legacy-method',
    title: 'A method of 0.3 is not served as 1.0',
    requirement: 'MUST',
    section: '3.6.2',
    mend: 'Answer tasks/get with -32601 when the request says A2A-Version: 1.0.',
    bindings: JSON_RPC,
    run: async (context) => expectCode(context, getNothing({ id: 'x', method: 'tasks/get' }), -32601, 'x'),
  },
  {
    id: 'rpc.notification',
    title: 'A request without an id gets no response',
    requirement: 'MUST',
    section: '9.3',
    mend: 'Answer a notification with 204 and no body.',
    bindings: JSON_RPC,
    run: async (context) => {
      const { text } = await rpc(context).post(getNothing({}));
      claim(text.trim() === '', 'there is a response', excerpt(text));
    },
  },
  {
    id: 'rpc.http-get',
    title: 'GET at the JSON-RPC address is refused in an orderly way',
    requirement: 'SHOULD',
    section: '9.1',
    mend: 'Answer 405 with Allow: POST.',
    bindings: JSON_RPC,
    run: async (context) => {
      const { url, settings } = rpc(context);
      const { status } = await exchange({ method: 'GET', url, headers: settings.credentials }, settings.limits);
      claim(status >= 400 && status < 500, `GET is answered with ${status}`);
    },
  },
];

const rpc = ({ binding }: CheckContext): JsonRpcBinding => (binding instanceof JsonRpcBinding ? binding : skip('not JSON-RPC'));

async function expectCode(context: CheckContext, body: Json | string, code: number, id: string | null): Promise<void> {
  claimCode((await rpc(context).post(body)).json(), code, id);
}

function claimCode(body: Json, code: number, id: string | null): void {
  const error = errorOf(body);
  claim(error !== undefined, `${code} is due, but it is accepted`, show(body));
  claim(error.code === code, `${code} is due, but it is ${error.code}`, show(body));
  claim(member(body, 'id') === id, `the id ${show(id)} is due, but it is ${show(member(body, 'id'))}`, show(body));
}
