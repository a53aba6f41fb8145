import type { Message } from '#protocol';
import { PeerDirectory } from './agent-card/peer-directory.js';
import type { Received } from './bindings/binding.js';
import {
  PeerAnsweredError,
  PeerCredentialError,
  PeerInvalidAnswerError,
  PeerNotServedError,
  PeerUnavailableError,
} from './errors.js';
import { chunk, events, json, result, rpcError, ScriptedPeer, status, task } from './scripted-peer.spec-support.js';

const message: Message = { messageId: 'm-1', role: 'ROLE_USER', parts: [{ text: 'hello' }] };

async function all(stream: AsyncGenerator<Received>): Promise<Received[]> {
  const list: Received[] = [];
  for await (const received of stream) list.push(received);
  return list;
}

const shown = (list: readonly Received[]): string[] =>
  list.map(({ response: { task: whole, statusUpdate, artifactUpdate } }) => {
    if (artifactUpdate) return artifactUpdate.artifact.parts[0]?.text ?? '';
    return (whole ?? statusUpdate)?.status.state.replace('TASK_STATE_', '') ?? 'message';
  });

let peer: ScriptedPeer;
beforeEach(async () => {
  peer = await ScriptedPeer.start();
  peer.offers([{ url: `${peer.url}/rpc`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }]);
});
afterEach(() => peer.close());

describe('one request', () => {
  it('says its version, its key and where it is traced, and reads what comes', async () => {
    peer.script = (heard, response) => result(heard, response, { task: task('COMPLETED', { unknown: 1 }) });
    const trace = { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', tracestate: 'a=b' };
    const client = peer.client({ headers: { authorization: 'Bearer s' } });
    const answer = await client.send({ message }, { idempotencyKey: 'k', trace });
    expect(answer).toEqual({ task: { id: 't-1', contextId: 'c-1', status: { state: 'TASK_STATE_COMPLETED' } } });
    const [call] = peer.calls;
    expect(call).toMatchObject({ path: '/rpc', body: { method: 'SendMessage', params: { message } } });
    expect(call?.headers).toMatchObject({ 'a2a-version': '1.0', 'idempotency-key': 'k', authorization: 'Bearer s', ...trace });
  });

  it('a version, a tenant and a path of the card are used', async () => {
    const at = { url: `${peer.url}/rest/`, protocolBinding: 'HTTP+JSON', protocolVersion: '1.0', tenant: 'acme' };
    peer.offers([at]);
    peer.script = (_heard, response) => json(response, task('WORKING'));
    await peer.client().get({ id: 'a/b', historyLength: 2 });
    expect(peer.calls[0]).toMatchObject({ method: 'GET', path: '/rest/acme/tasks/a%2Fb?historyLength=2' });
  });

  it('an error of the agent is told by its name', async () => {
    peer.script = (heard, response) => rpcError(heard, response, -32001);
    await expect(peer.client().get({ id: 'x' })).rejects.toMatchObject({ name: 'PeerAnsweredError', error: 'TaskNotFoundError' });
    expect(peer.calls).toHaveLength(1);
  });

  it.each([
    ['no task and no message', { task: { id: '' } }],
    ['a state that does not exist', { task: { id: 't', status: { state: 'TASK_STATE_BUSY' } } }],
  ])('%s is no answer', async (_what, body) => {
    peer.script = (heard, response) => result(heard, response, body);
    await expect(peer.client().send({ message })).rejects.toBeInstanceOf(PeerInvalidAnswerError);
  });

  it('an abort ends it with its reason', async () => {
    const abort = new AbortController();
    const reason = new Error('enough');
    peer.script = () => abort.abort(reason);
    await expect(peer.client().send({ message }, { signal: abort.signal })).rejects.toBe(reason);
  });
});

describe('a message is not submitted twice', () => {
  it.each([401, 403])('%i is final', async (code) => {
    peer.script = (_heard, response) => void response.writeHead(code).end();
    await expect(peer.client().send({ message })).rejects.toBeInstanceOf(PeerCredentialError);
    expect(peer.calls).toHaveLength(1);
  });

  it.each([500, 502, 503, 504])('after %i it is not sent again, nor in another version', async (code) => {
    both();
    peer.script = (_heard, response) => void response.writeHead(code).end();
    await expect(peer.client().send({ message })).rejects.toBeInstanceOf(PeerUnavailableError);
    expect(peer.calls).toHaveLength(1);
  });

  it('after a connection that broke and after silence it is not sent again, nor in another version', async () => {
    both();
    peer.script = (_heard, response) => void response.destroy();
    await expect(peer.client().send({ message })).rejects.toMatchObject({ submitted: 'unknown' });
    peer.script = () => undefined;
    await expect(peer.client({}, { timeoutMs: 50 }).send({ message })).rejects.toMatchObject({ submitted: 'unknown' });
    expect(peer.calls).toHaveLength(2);
  });

  it('to an agent that keeps keys it is sent again under the same one', async () => {
    peer.script = (heard, response) =>
      peer.calls.length < 3 ? void response.destroy() : result(heard, response, { task: task('COMPLETED') });
    const sent = await peer.client({ idempotent: true }).send({ message }, { idempotencyKey: 'k' });
    expect(sent.task?.id).toBe('t-1');
    expect(peer.calls.map(({ headers }) => headers['idempotency-key'])).toEqual(['k', 'k', 'k']);
  });

  it('429 has not acted on it: it is sent again when the agent says so', async () => {
    peer.script = (heard, response) =>
      peer.calls.length < 2
        ? void response.writeHead(429, { 'retry-after': '0' }).end()
        : result(heard, response, { task: task('COMPLETED') });
    await peer.client().send({ message });
    expect(peer.calls).toHaveLength(2);
  });

  it.each([
    ['404', (_heard: unknown, response: Parameters<ScriptedPeer['script']>[1]) => void response.writeHead(404).end('<html>')],
    ['405', (_heard: unknown, response: Parameters<ScriptedPeer['script']>[1]) => void response.writeHead(405).end()],
    [
      'an unknown method',
      (heard: Parameters<ScriptedPeer['script']>[0], response: Parameters<ScriptedPeer['script']>[1]) =>
        rpcError(heard, response, -32601),
    ],
  ])('%s moves on to the other version, once', async (_what, refuse) => {
    both();
    peer.script = (heard, response) =>
      heard.body.method === 'message/send'
        ? result(heard, response, { kind: 'task', id: 't-1', contextId: 'c', status: { state: 'completed' } })
        : refuse(heard, response);
    const directory = new PeerDirectory();
    const { task: done } = await peer.client({}, {}, directory).send({ message });
    expect(done?.status.state).toBe('TASK_STATE_COMPLETED');
    await peer.client({}, {}, directory).send({ message });
    expect(peer.calls.map(({ body }) => body.method)).toEqual(['SendMessage', 'message/send', 'message/send']);
    expect(peer.heard.length - peer.calls.length).toBe(1);
  });

  it('a version that is asked for is the only one', async () => {
    both();
    peer.script = (_heard, response) => void response.writeHead(404).end();
    await expect(peer.client({ protocol: '1.0' }).send({ message })).rejects.toBeInstanceOf(PeerNotServedError);
    expect(peer.calls.map(({ body }) => body.method)).toEqual(['SendMessage']);
  });

  it('an error of A2A stays with the version that answered', async () => {
    both();
    peer.script = (heard, response) => rpcError(heard, response, -32009);
    await expect(peer.client().send({ message })).rejects.toBeInstanceOf(PeerAnsweredError);
    expect(peer.calls).toHaveLength(1);
  });

  function both(): void {
    peer.offers([
      { url: `${peer.url}/old`, protocolBinding: 'JSONRPC', protocolVersion: '0.3' },
      { url: `${peer.url}/rpc`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
    ]);
  }
});

describe('streams', () => {
  it('one that is cut goes on after the last event', async () => {
    peer.script = (heard, response) => {
      if (heard.body.method === 'SendStreamingMessage')
        return events(
          heard,
          response,
          [
            [1, { task: task('SUBMITTED') }],
            [2, chunk('one')],
          ],
          true,
        );
      if (heard.headers['last-event-id'] === '2') return events(heard, response, [[3, chunk('two')]], true);
      return events(heard, response, [[4, status('COMPLETED')]]);
    };
    expect(shown(await all(peer.client().stream({ message })))).toEqual(['SUBMITTED', 'one', 'two', 'COMPLETED']);
    expect(peer.calls.map(({ body, headers }) => [body.method, headers['last-event-id']])).toEqual([
      ['SendStreamingMessage', undefined],
      ['SubscribeToTask', '2'],
      ['SubscribeToTask', '3'],
    ]);
  });

  it('one that ends before its task is asked for again', async () => {
    peer.script = (heard, response) =>
      heard.body.method === 'SubscribeToTask'
        ? events(heard, response, [[2, status('COMPLETED')]])
        : events(heard, response, [[1, { task: task('WORKING') }]]);
    expect(shown(await all(peer.client().stream({ message })))).toEqual(['WORKING', 'COMPLETED']);
  });

  it('one that falls silent is taken up anew', async () => {
    peer.script = (heard, response) => {
      if (heard.body.method === 'SubscribeToTask') return events(heard, response, [[2, status('COMPLETED')]]);
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(`data: ${JSON.stringify({ result: { task: task('WORKING') } })}\n\n`);
    };
    expect(shown(await all(peer.client({}, { idleMs: 50 }).stream({ message })))).toEqual(['WORKING', 'COMPLETED']);
  });

  it('a task that ended while nobody listened is asked for', async () => {
    peer.script = (heard, response) => {
      if (heard.body.method === 'SendStreamingMessage') return events(heard, response, [[1, { task: task('WORKING') }]], true);
      if (heard.body.method === 'SubscribeToTask') return rpcError(heard, response, -32004);
      return result(heard, response, task('COMPLETED'));
    };
    expect(shown(await all(peer.client().stream({ message })))).toEqual(['WORKING', 'COMPLETED']);
  });

  it('one that is gone is told, and not sent again', async () => {
    peer.script = (heard, response) =>
      heard.body.method === 'SendStreamingMessage'
        ? events(heard, response, [[1, { task: task('WORKING') }]], true)
        : rpcError(heard, response, -32001);
    await expect(all(peer.client().stream({ message }))).rejects.toMatchObject({ error: 'TaskNotFoundError' });
    expect(peer.calls.map(({ body }) => body.method)).toEqual(['SendStreamingMessage', 'SubscribeToTask']);
  });

  it('it stops at INPUT_REQUIRED, but not at the task as it was before a follow-up', async () => {
    peer.script = (heard, response) =>
      events(heard, response, [
        [1, { task: task('INPUT_REQUIRED') }],
        [2, status('WORKING')],
        [3, status('INPUT_REQUIRED')],
      ]);
    const follow = { ...message, taskId: 't-1' };
    expect(shown(await all(peer.client().stream({ message: follow })))).toEqual(['INPUT_REQUIRED', 'WORKING', 'INPUT_REQUIRED']);
    expect(shown(await all(peer.client().subscribe('t-1')))).toEqual(['INPUT_REQUIRED']);
  });

  it.each(['the card says so', 'the agent says so', 'it does not know the method'])(
    'without streams, and %s, the task is asked for',
    async (how) => {
      if (how === 'the card says so')
        peer.offers([{ url: `${peer.url}/rpc`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }], { capabilities: {} });
      let asked = 0;
      peer.script = (heard, response) => {
        if (heard.body.method === 'SendStreamingMessage')
          return rpcError(heard, response, how.startsWith('it') ? -32601 : -32004);
        if (heard.body.method === 'SendMessage') return result(heard, response, { task: task('WORKING') });
        asked += 1;
        return result(heard, response, task(asked < 3 ? 'WORKING' : 'COMPLETED'));
      };
      expect(shown(await all(peer.client().stream({ message })))).toEqual(['WORKING', 'WORKING', 'COMPLETED']);
      const sends = peer.calls.filter(({ body }) => body.method === 'SendMessage');
      expect(sends.map(({ body }) => body.params?.['configuration'])).toEqual([{ returnImmediately: true }]);
    },
  );

  it('a Message is the end', async () => {
    const answer = { message: { messageId: 'a', role: 'ROLE_AGENT', parts: [{ text: 'hi' }] } };
    peer.script = (heard, response) => events(heard, response, [[1, answer]]);
    expect(shown(await all(peer.client().stream({ message })))).toEqual(['message']);
  });

  it('an agent that stays away is given up', async () => {
    peer.script = (heard, response) =>
      heard.body.method === 'SendStreamingMessage'
        ? events(heard, response, [[1, { task: task('WORKING') }]], true)
        : void response.destroy();
    await expect(all(peer.client({}, { patienceMs: 300 }).stream({ message }))).rejects.toBeInstanceOf(PeerUnavailableError);
  });

  it('whoever stops reading leaves no connection behind', async () => {
    let closed: Promise<unknown> = Promise.resolve();
    peer.script = (_heard, response) => {
      closed = new Promise((resolve) => response.once('close', resolve));
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(`data: ${JSON.stringify({ result: { task: task('WORKING') } })}\n\n`);
    };
    for await (const _received of peer.client().stream({ message })) break;
    await closed;
  });
});
