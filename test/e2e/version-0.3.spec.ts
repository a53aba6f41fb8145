import { LegacyJsonRpcTransport, LegacyRestTransport } from '@a2a-js/sdk/compat/v0_3/client';
import { LegacyGrpcTransport } from '@a2a-js/sdk/compat/v0_3/client/grpc';
import type { Client } from '@grpc/grpc-js';
import { Message, SendMessageRequest, type StreamResponse, TaskState, type Task } from '@a2a-js/sdk';
import { Deferred } from '#testing';
import { A2AClient, stateOf, until } from '../support/a2a-client.js';
import { useCluster } from '../support/cluster.js';

interface RpcAnswer {
  readonly result?: Record<string, unknown> & { readonly status: { readonly state: string } };
  readonly error?: { readonly code: number; readonly message: string; readonly data: Record<string, unknown> };
}

const kindMessage = (text: string, more: object = {}) => ({
  kind: 'message',
  messageId: `m-${text}`,
  role: 'user',
  parts: [{ kind: 'text', text }],
  ...more,
});

/** Replica A speaks 0.3, replica B 1.0. */
describe('Version 0.3, through a store and workers', () => {
  const cluster = useCluster({ apis: 2, workers: 1, env: { CHORUS_DEFAULT_AGENT: 'script' } });
  const base = () => `${cluster.apiUrl(0)}/agents/script`;
  const v1 = () => new A2AClient(cluster.apiUrl(1)).agent('script');

  const post = (body: object, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(base(), { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) });
  const rpc = async (method: string, params: object, headers?: Record<string, string>): Promise<RpcAnswer> =>
    (await (await post({ jsonrpc: '2.0', id: 1, method, params }, headers)).json()) as RpcAnswer;

  let grpc: LegacyGrpcTransport | undefined;
  // It has no way to close the channel that it opens.
  afterAll(() => (grpc as unknown as { grpcClient: Client }).grpcClient.close());

  describe.each([
    ['JSON-RPC', () => new LegacyJsonRpcTransport({ endpoint: base() })],
    ['HTTP+JSON', () => new LegacyRestTransport({ endpoint: base() })],
    ['gRPC', () => (grpc ??= new LegacyGrpcTransport({ endpoint: cluster.grpcAddress(0) }))],
  ])("the official SDK's 0.3 client over %s", (_, transport) => {
    const request = (text: string, more: object = {}) =>
      SendMessageRequest.fromJSON({
        message: { messageId: `m-${text}`, role: 'ROLE_USER', parts: [{ text }], ...more },
        configuration: { returnImmediately: false },
      });
    const send = async (text: string, more?: object): Promise<Task> => {
      const answer = await transport().sendMessage(request(text, more));
      if ('messageId' in answer) throw new Error('the answer is a Message');
      return answer;
    };
    const text = (message: Message | undefined) =>
      message && (Message.toJSON(message) as { parts: [{ text: string }] }).parts[0].text;

    it('sends, and gets the task that a client of 1.0 sees', async () => {
      const task = await send('artifact a text\ncomplete done');
      expect([task.status?.state, text(task.status?.message)]).toEqual([TaskState.TASK_STATE_COMPLETED, 'done']);
      const [theirs, ours] = [await transport().getTask({ tenant: '', id: task.id }), await v1().get(task.id)];
      expect(theirs.history.map(({ messageId }) => messageId)).toEqual(ours.history?.map(({ messageId }) => messageId));
      expect(theirs.artifacts.map(({ artifactId }) => artifactId)).toEqual(ours.artifacts?.map(({ artifactId }) => artifactId));
      expect([stateOf(ours), ours.contextId]).toEqual(['TASK_STATE_COMPLETED', theirs.contextId]);
    });

    it('goes on with a conversation that it was asked in', async () => {
      const asked = await send('input which one?');
      expect(asked.status?.state).toBe(TaskState.TASK_STATE_INPUT_REQUIRED);
      const done = await send('complete this one', { taskId: asked.id, contextId: asked.contextId });
      expect([done.id, done.status?.state]).toEqual([asked.id, TaskState.TASK_STATE_COMPLETED]);
    });

    it('streams every event to the end', async () => {
      const events: StreamResponse[] = [];
      for await (const event of transport().sendMessageStream(request('working\nartifact a one\nartifact b two\ncomplete done')))
        events.push(event);
      const cases = events.map(({ payload }) => payload?.$case);
      expect(cases[0]).toBe('task');
      expect(cases.filter((name) => name === 'artifactUpdate')).toHaveLength(2);
      const last = events.at(-1)?.payload;
      expect(last?.$case === 'statusUpdate' && last.value.status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
    });

    it('subscribes to a task that runs, and cancels it', async () => {
      const task = await v1().sendForTask('working\nsleep 60000', { returnImmediately: true });
      const states: unknown[] = [];
      const subscribed = new Deferred();
      const reading = (async () => {
        for await (const { payload } of transport().resubscribeTask({ tenant: '', id: task.id })) {
          subscribed.resolve();
          if (payload?.$case === 'statusUpdate') states.push(payload.value.status?.state);
        }
      })();
      await Promise.race([subscribed.promise, reading]);
      const canceled = await transport().cancelTask({ tenant: '', id: task.id, metadata: undefined });
      await reading;
      expect([canceled.status?.state, states.at(-1)]).toEqual([TaskState.TASK_STATE_CANCELED, TaskState.TASK_STATE_CANCELED]);
      expect(stateOf(await v1().get(task.id))).toBe('TASK_STATE_CANCELED');
    });

    it('is told of a task that is not there', async () => {
      await expect(transport().getTask({ tenant: '', id: 'nobody' })).rejects.toMatchObject({ name: 'TaskNotFoundError' });
    });
  });

  describe('JSON-RPC', () => {
    it.each([
      ['omitted', undefined, 'completed'],
      ['true', { blocking: true }, 'completed'],
      ['omitted in a configuration', { acceptedOutputModes: [] }, 'completed'],
      ['false', { blocking: false }, 'submitted'],
    ])('blocking %s', async (_, configuration, state) => {
      const { result } = await rpc('message/send', { message: kindMessage('sleep 300\ncomplete done'), configuration });
      expect([result?.['kind'], result?.status.state]).toEqual(['task', state]);
    });

    it('final marks the last event of a stream, at INPUT_REQUIRED too', async () => {
      const response = await post({
        jsonrpc: '2.0',
        id: 7,
        method: 'message/stream',
        params: { message: kindMessage('working\ninput more?') },
      });
      const frames = (await response.text()).split('\n\n').filter(Boolean);
      const results = frames.map((frame) => JSON.parse(frame.slice(frame.indexOf('data: ') + 6)).result);
      expect(results.map(({ kind, final }) => [kind, final])).toEqual([
        ['task', undefined],
        ['status-update', false],
        ['status-update', true],
      ]);
    });

    it('resubscribes from the last event that was seen', async () => {
      const task = await v1().sendForTask('artifact a one\nartifact b two\nsleep 1500\ncomplete done', {
        returnImmediately: true,
      });
      await until(v1(), task.id, ({ artifacts }) => artifacts?.length === 2);
      const body = { jsonrpc: '2.0', id: 1, method: 'tasks/resubscribe', params: { id: task.id } };
      const text = await (await post(body, { 'last-event-id': '2' })).text();
      const ids = [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));
      expect(ids).toEqual(Array.from({ length: ids.length }, (_, n) => n + 2));
      expect(text).toContain('"final":true');
    });

    it.each([
      ['tasks/get', { id: 'nobody' }, {}, -32001],
      ['tasks/cancel', { id: 'nobody' }, {}, -32001],
      ['message/send', { message: kindMessage('x', { parts: [] }) }, {}, -32602],
      ['message/send', { message: kindMessage('x', { role: 'agent' }) }, {}, -32602],
      ['tasks/list', {}, {}, -32601],
      ['message/send', { message: kindMessage('x') }, { 'a2a-version': '1.0' }, -32601],
      ['SendMessage', {}, {}, -32009],
      ['tasks/pushNotificationConfig/set', { taskId: 't', pushNotificationConfig: { url: 'http://127.0.0.1/' } }, {}, -32003],
    ])('%s %j with headers %j is refused with %i', async (method, params, headers, code) => {
      expect((await rpc(method, params, headers)).error?.code).toBe(code);
    });

    it('a violation is named as the client named the field', async () => {
      const { error } = await rpc('message/send', {
        message: kindMessage('x', { parts: [{ kind: 'file', file: { bytes: 7 } }] }),
      });
      expect(JSON.stringify(error?.data)).toContain('message.parts[0].file.bytes');
    });
  });
});

describe('Version 0.3, switched off', () => {
  const without = useCluster({ apis: 1, workers: 1, env: { A2A_V03: 'off' } });

  it('is refused with the version to send', async () => {
    const post = (path: string, body: object): Promise<Response> =>
      fetch(`${without.apiUrl(0)}/agents/script${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    const params = { message: kindMessage('x') };
    const { error } = (await (await post('', { jsonrpc: '2.0', id: 1, method: 'message/send', params })).json()) as RpcAnswer;
    expect([error?.code, error?.message]).toEqual([-32009, expect.stringContaining('Send `A2A-Version: 1.0`')]);
    const refused = await post('/v1/message:send', { message: { messageId: 'm', role: 'ROLE_USER', content: [{ text: 'x' }] } });
    expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining('VERSION_NOT_SUPPORTED')]);
  });

  it('is not in the card', async () => {
    const card = `${without.apiUrl(0)}/agents/script/.well-known`;
    const text = await (await fetch(`${card}/agent-card.json`)).text();
    expect(JSON.parse(text).supportedInterfaces.map((one: { protocolVersion: string }) => one.protocolVersion)).toContain('1.0');
    expect(text).not.toMatch(/0\.3|preferredTransport/);
    expect((await fetch(`${card}/agent.json`)).status).toBe(404);
  });
});
