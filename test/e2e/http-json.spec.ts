import type { SendMessageResponse, Task } from '#protocol';
import { A2AClient, sendParams, stateOf, until, type Received } from '../support/a2a-client.js';
import { useCluster } from '../support/cluster.js';
import { RestClient } from '../support/rest-client.js';

async function collect<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = [];
  for await (const item of stream) items.push(item);
  return items;
}

/** HTTP+JSON is asked on one replica, JSON-RPC on the other: what they answer has to be the same. */
describe('HTTP+JSON, through a store and workers', () => {
  const cluster = useCluster({ apis: 2, workers: 2 });
  const rest = () => new RestClient(`${cluster.apiUrl(0)}/agents/script`);
  const rpc = () => new A2AClient(cluster.apiUrl(1)).agent('script');
  const send = async (text: string, options = {}): Promise<Task> =>
    (await rest().ok<{ task: Task }>('POST', '/message:send', sendParams(text, options))).task;

  /** `result` as its bytes came over JSON-RPC. */
  async function rpcText(method: string, params: object): Promise<string> {
    const response = await rpc().post(rpc().baseUrl, { jsonrpc: '2.0', id: 1, method, params });
    const text = await response.text();
    const head = '{"jsonrpc":"2.0","id":1,"result":';
    if (!text.startsWith(head)) throw new Error(text);
    return text.slice(head.length, -1);
  }

  it('a send is answered with what GetTask shows on the other replica, over either binding', async () => {
    const task = await send('working\nartifact a text\ncomplete done');
    expect(stateOf(task)).toBe('TASK_STATE_COMPLETED');
    expect(await rpc().get(task.id)).toEqual(task);
    expect((await rest().call('GET', `/tasks/${task.id}`)).text).toBe(await rpcText('GetTask', { id: task.id }));
  });

  it('a conversation goes on over both bindings', async () => {
    const asked = await send('input which one?', { contextId: 'rest-and-rpc' });
    expect(stateOf(asked)).toBe('TASK_STATE_INPUT_REQUIRED');
    const asksAgain = await rpc().sendForTask('input are you sure?', { taskId: asked.id });
    const done = await send('complete done', { taskId: asksAgain.id });
    expect(done.contextId).toBe('rest-and-rpc');
    expect(done.history?.map(({ parts }) => parts[0]?.text)).toEqual([
      'input which one?',
      'which one?',
      'input are you sure?',
      'are you sure?',
      'complete done',
      'done',
    ]);
    expect(await rpc().get(done.id)).toEqual(done);
  });

  it('returnImmediately, and an agent that answers with a Message', async () => {
    const submitted = await send('sleep 200\ncomplete late', { returnImmediately: true });
    expect(stateOf(submitted)).toBe('TASK_STATE_SUBMITTED');
    await until(rpc(), submitted.id, (task) => stateOf(task) === 'TASK_STATE_COMPLETED');
    const messages = new RestClient(`${cluster.apiUrl(0)}/agents/script-message`);
    const answer = await messages.ok<SendMessageResponse>('POST', '/message:send', sendParams('message hello'));
    expect(Object.keys(answer)).toEqual(['message']);
    expect(answer.message?.parts).toEqual([{ text: 'hello' }]);
    const frames = await collect(messages.events('POST', '/message:stream', sendParams('message hello')));
    expect(frames.map(({ response }) => response.message?.parts)).toEqual([[{ text: 'hello' }]]);
  });

  describe('reads', () => {
    const contextId = 'rest-lists';
    let ids: string[];
    beforeAll(async () => {
      ids = [];
      for (const script of ['artifact a x\ncomplete done', 'input q?', 'complete done', 'fail no'])
        ids.push((await send(script, { contextId })).id);
      const tenant = { ...sendParams('complete elsewhere', { contextId }), tenant: 'other' };
      await rest().ok('POST', '/message:send', tenant);
    });

    it.each([undefined, 0, 1, 100])('GET a task with historyLength %s', async (historyLength) => {
      for (const id of ids) {
        const query = historyLength === undefined ? '' : `?historyLength=${historyLength}`;
        const { status, text } = await rest().call('GET', `/tasks/${id}${query}`);
        expect(status).toBe(200);
        expect(text).toBe(await rpcText('GetTask', { id, ...(historyLength === undefined ? {} : { historyLength }) }));
      }
    });

    it.each([
      [4, {}],
      [4, { historyLength: 0 }],
      [4, { historyLength: 1, includeArtifacts: true }],
      [2, { status: 'TASK_STATE_COMPLETED' }],
      [4, { pageSize: 2 }],
      [1, { tenant: 'other' }],
      [0, { statusTimestampAfter: '2999-01-01T00:00:00Z' }],
    ])('a list of %d tasks with %j', async (totalSize, params) => {
      const filters = { contextId, ...params };
      const query = new URLSearchParams(Object.entries(filters).map(([name, value]): [string, string] => [name, String(value)]));
      const { status, text } = await rest().call('GET', `/tasks?${query.toString()}`);
      expect(status).toBe(200);
      expect(JSON.parse(text).totalSize).toBe(totalSize);
      // A page token is sealed anew each time.
      const bare = (page: string): object => ({ ...JSON.parse(page), nextPageToken: Boolean(JSON.parse(page).nextPageToken) });
      expect(bare(text)).toEqual(bare(await rpcText('ListTasks', filters)));
    });

    it('a page token of one binding goes on in the other', async () => {
      type Page = { tasks: Task[]; nextPageToken: string };
      const first = await rest().ok<Page>('GET', `/tasks?contextId=${contextId}&pageSize=3`);
      const second = await rpc().list({ contextId, pageSize: 3, pageToken: first.nextPageToken });
      expect([...first.tasks, ...second.tasks].map(({ id }) => id)).toEqual([...ids].reverse());
      expect(second.nextPageToken).toBe('');
    });
  });

  describe('streams', () => {
    const whole = (frames: readonly Received[]): unknown[] => frames.map(({ id, response }) => [id, response]);

    it('a stream has every event of the log, and equals what a JSON-RPC subscriber sees', async () => {
      const stream = rest().events('POST', '/message:stream', sendParams('working\nchunks 20 20\ncomplete done'));
      const first = (await stream.next()).value as Received;
      const id = first.response.task?.id as string;
      const [others, subscribed] = await Promise.all([collect(stream), collect(rpc().subscribe(id, 1))]);
      const frames = [first, ...others];
      const events = await cluster.eventsOf(id);
      expect(frames.map((frame) => frame.id)).toEqual(events.map(({ sequence }) => sequence));
      expect(others.map(({ text }) => text)).toEqual(events.slice(1).map(({ payload }) => payload));
      expect(whole(frames)).toEqual(whole(subscribed));
    });

    it.each(['GET', 'POST'])('%s subscribes, live and from Last-Event-ID', async (method) => {
      const { id } = await send('working\nchunks 20 20\ncomplete done', { returnImmediately: true });
      const path = `/tasks/${id}:subscribe`;
      const [live, resumed, other] = await Promise.all([
        collect(rest().events(method, path)),
        collect(rest().events(method, path, undefined, 1)),
        collect(rpc().subscribe(id, 1)),
      ]);
      expect(whole(resumed)).toEqual(whole(other));
      expect(live[0]?.response.task?.id).toBe(id);
      expect(whole(live.slice(1))).toEqual(whole(other).slice(-(live.length - 1)));
      expect(resumed.at(-1)?.response.statusUpdate?.status.state).toBe('TASK_STATE_COMPLETED');
      // Over by now: what was missed is served all the same.
      expect(whole(await collect(rest().events(method, path, undefined, 1)))).toEqual(whole(other));
    });
  });

  it('cancels, and again', async () => {
    const { id } = await send('working\nsleep 20000', { returnImmediately: true });
    await until(rpc(), id, (task) => stateOf(task) === 'TASK_STATE_WORKING');
    const canceled = await rest().ok<Task>('POST', `/tasks/${id}:cancel`, { metadata: { reason: 'enough' } });
    expect(stateOf(canceled)).toBe('TASK_STATE_CANCELED');
    expect(await rest().ok('POST', `/tasks/${id}:cancel`)).toEqual(canceled);
    expect(await rpc().cancel(id)).toEqual(canceled);
  });

  describe('errors are those of JSON-RPC', () => {
    const ids: Record<string, string> = {};
    beforeAll(async () => {
      ids['ended'] = (await send('complete done')).id;
      ids['waiting'] = (await send('input q?', { contextId: 'rest-errors' })).id;
    });
    const named = (text: string): string => text.replace(/\{(\w+)\}/g, (_, name: string) => ids[name] as string);
    const message = (more: object = {}, part: object = { text: 'complete' }): object => ({
      message: { messageId: 'm', role: 'ROLE_USER', parts: [part], ...more },
    });
    const picture = { raw: 'AAAA', mediaType: 'image/png' };

    it.each<[number, number, string, string, object | undefined, string, object]>([
      [404, -32001, 'GET', '/tasks/none', undefined, 'GetTask', { id: 'none' }],
      [404, -32001, 'GET', '/tasks/{waiting}?tenant=other', undefined, 'GetTask', { id: '{waiting}', tenant: 'other' }],
      [404, -32001, 'GET', '/other/tasks/{waiting}', undefined, 'GetTask', { id: '{waiting}', tenant: 'other' }],
      [404, -32001, 'POST', '/tasks/none:cancel', undefined, 'CancelTask', { id: 'none' }],
      [404, -32001, 'POST', '/other/tasks/{waiting}:cancel', {}, 'CancelTask', { id: '{waiting}', tenant: 'other' }],
      [400, -32002, 'POST', '/tasks/{ended}:cancel', {}, 'CancelTask', { id: '{ended}' }],
      [404, -32001, 'GET', '/tasks/none:subscribe', undefined, 'SubscribeToTask', { id: 'none' }],
      [404, -32001, 'POST', '/other/tasks/{waiting}:subscribe', {}, 'SubscribeToTask', { id: '{waiting}', tenant: 'other' }],
      [400, -32004, 'POST', '/tasks/{ended}:subscribe', undefined, 'SubscribeToTask', { id: '{ended}' }],
      [404, -32001, 'POST', '/message:send', message({ taskId: 'none' }), 'SendMessage', message({ taskId: 'none' })],
      [
        404,
        -32001,
        'POST',
        '/other/message:send',
        message({ taskId: '{waiting}' }),
        'SendMessage',
        { ...message({ taskId: '{waiting}' }), tenant: 'other' },
      ],
      [400, -32004, 'POST', '/message:send', message({ taskId: '{ended}' }), 'SendMessage', message({ taskId: '{ended}' })],
      [
        400,
        -32004,
        'POST',
        '/message:stream',
        message({ taskId: '{ended}' }),
        'SendStreamingMessage',
        message({ taskId: '{ended}' }),
      ],
      [
        400,
        -32602,
        'POST',
        '/message:send',
        message({ taskId: '{waiting}', contextId: 'x' }),
        'SendMessage',
        message({ taskId: '{waiting}', contextId: 'x' }),
      ],
      [400, -32602, 'POST', '/message:send', message({ parts: [] }), 'SendMessage', message({ parts: [] })],
      [400, -32005, 'POST', '/message:send', message({}, picture), 'SendMessage', message({}, picture)],
      [400, -32602, 'GET', '/tasks?pageToken=junk', undefined, 'ListTasks', { pageToken: 'junk' }],
      [400, -32602, 'GET', '/tasks?statusTimestampAfter=junk', undefined, 'ListTasks', { statusTimestampAfter: 'junk' }],
    ])('%d and %d: %s %s %j', async (status, code, method, path, body, rpcMethod, params) => {
      const answer = await rest().call(method, named(path), body && JSON.parse(named(JSON.stringify(body))));
      expect(answer.status).toBe(status);
      const { error } = JSON.parse(answer.text);
      const refused = rpc().rpc(rpcMethod, JSON.parse(named(JSON.stringify(params))));
      await expect(refused).rejects.toMatchObject({ code, message: `${code}: ${error.message}`, data: error.details });
      expect(error.code).toBe(status);
    });

    it('leaves the task alone that was refused', async () => {
      expect(stateOf(await rpc().get(ids['waiting'] as string))).toBe('TASK_STATE_INPUT_REQUIRED');
      expect(await cluster.eventsOf(ids['waiting'] as string)).toHaveLength(2);
    });
  });
});
