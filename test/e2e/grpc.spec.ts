import { connect } from 'node:http2';
import { A2AClient, sendParams, stateOf, until, type Received } from '../support/a2a-client.js';
import { useCluster } from '../support/cluster.js';
import { GrpcClient } from '../support/grpc-client.js';
import { RestClient } from '../support/rest-client.js';

const clients: GrpcClient[] = [];
afterAll(() => clients.forEach((client) => client.close()));

async function collect(stream: AsyncGenerator<Received>, most = Number.POSITIVE_INFINITY): Promise<Received[]> {
  const frames: Received[] = [];
  for await (const frame of stream) {
    frames.push(frame);
    if (frames.length >= most) break;
  }
  return frames;
}

describe('gRPC, through a store and workers', () => {
  const cluster = useCluster({ apis: 2, workers: 1, env: { CHORUS_DEFAULT_AGENT: 'script', DRAIN_MS: '5000' } });
  const grpc = (n = 0, tenant = 'script', metadata?: Readonly<Record<string, string>>): GrpcClient => {
    const client = new GrpcClient(cluster.grpcAddress(n), tenant, metadata);
    clients.push(client);
    return client;
  };
  const rpc = (n = 1) => new A2AClient(cluster.apiUrl(n)).agent('script');

  it('a send, a list, a cancel are answered with what JSON-RPC answers on the other replica', async () => {
    const { task } = await grpc().call(
      'SendMessage',
      sendParams('working\nartifact a text\ncomplete done', { contextId: 'c-grpc' }),
    );
    expect(stateOf(task)).toBe('TASK_STATE_COMPLETED');
    expect(task).toEqual(await rpc().get(task.id));
    expect(await grpc().call('GetTask', { id: task.id, historyLength: 0 })).toEqual(await rpc().get(task.id, 0));
    const waiting = await grpc().call('SendMessage', sendParams('sleep 60000', { contextId: 'c-grpc', returnImmediately: true }));
    const canceled = await grpc().call('CancelTask', { id: waiting.task.id });
    expect(canceled).toEqual(await rpc().get(waiting.task.id));
    expect(stateOf(canceled)).toBe('TASK_STATE_CANCELED');
    const page = await grpc().call('ListTasks', { contextId: 'c-grpc', includeArtifacts: true });
    // Fields that have their default value are not on the wire of protobuf.
    expect({ nextPageToken: '', ...page }).toEqual(await rpc().list({ contextId: 'c-grpc', includeArtifacts: true }));
    expect(page.tasks).toHaveLength(2);
  });

  it('tenant says which agent, and for whom; without one the default agent answers', async () => {
    const { task } = await grpc(0, '').call('SendMessage', sendParams('complete done'));
    expect(await rpc().get(task.id)).toEqual(task);
    const acme = await grpc(0, 'script/acme').call('SendMessage', sendParams('complete done'));
    await expect(rpc().get(acme.task.id)).rejects.toMatchObject({ code: -32001 });
    expect(await rpc().rpc('GetTask', { id: acme.task.id, tenant: 'acme' })).toEqual(acme.task);
    const answer = await grpc(0, 'script-message').call('SendMessage', sendParams('message hello'));
    expect(answer.message.parts).toEqual([{ text: 'hello' }]);
  });

  it('an idempotency key finds the task of the first send', async () => {
    const keyed = { metadata: { 'idempotency-key': 'grpc-1' } };
    const request = sendParams('complete done', { messageId: 'm-idempotent' });
    const first = await grpc().call('SendMessage', request, keyed);
    expect((await grpc(1).call('SendMessage', request, keyed)).task.id).toBe(first.task.id);
  });

  it('a deadline that passes leaves the task running', async () => {
    const key = { 'idempotency-key': 'grpc-deadline' };
    const request = sendParams('working\nsleep 1500\ncomplete done', { messageId: 'm-deadline' });
    await expect(grpc().call('SendMessage', request, { metadata: key, deadlineMs: 300 })).rejects.toMatchObject({ code: 4 });
    // The same request again waits for the same task.
    const { task } = await grpc().call('SendMessage', request, { metadata: key });
    expect(stateOf(task)).toBe('TASK_STATE_COMPLETED');
    expect((await cluster.eventsOf(task.id)).filter(({ kind }) => kind === 'accepted')).toHaveLength(1);
  });

  it('a stream shows every event, numbered, and is resumed on the other replica without a gap', async () => {
    const frames = await collect(grpc().frames('SendStreamingMessage', sendParams('working\nchunks 100 10\ncomplete done')), 3);
    const id = frames[0]?.response.task?.id as string;
    for (let turn = 1; frames.at(-1)?.response.statusUpdate?.status.state !== 'TASK_STATE_COMPLETED'; turn += 1) {
      const metadata = { 'a2a-last-event-id': String(frames.at(-1)?.id) };
      const resumed = await collect(grpc(turn % 2).frames('SubscribeToTask', { id }, { metadata }), 20);
      expect(resumed[0]?.id).toBe(frames.at(-1)?.id);
      expect(resumed[0]?.response.task).toBeDefined();
      frames.push(...resumed.slice(1));
    }
    const whole = await cluster.eventsOf(id);
    expect(frames.map((frame) => frame.id)).toEqual(whole.map(({ sequence }) => sequence));
    const sse = new RestClient(`${cluster.apiUrl(1)}/agents/script`);
    await expect(sse.events('POST', `/tasks/${id}:subscribe`).next()).rejects.toThrow('400');
    await expect(collect(grpc().frames('SubscribeToTask', { id }))).rejects.toMatchObject({ code: 9 });
  });

  it('200 streams of which one is never read: the others get everything', async () => {
    const { task } = await grpc().call(
      'SendMessage',
      sendParams('working\nsleep 2500\nchunks 60 10\ncomplete done', { returnImmediately: true }),
    );
    await until(rpc(), task.id, (seen) => stateOf(seen) === 'TASK_STATE_WORKING');
    // grpc-js as a client keeps what nobody reads: HTTP/2 itself does not.
    const silent = connect(`http://${cluster.grpcAddress(0)}`);
    const headers = { ':method': 'POST', 'content-type': 'application/grpc', te: 'trailers', 'a2a-version': '1.0' };
    const unread = silent.request({ ...headers, ':path': '/lf.a2a.v1.A2AService/SubscribeToTask' });
    const request = grpc().encode('SubscribeToTask', { id: task.id });
    unread.end(Buffer.concat([Buffer.from([0, 0, 0, 0, request.length]), request]));
    const client = grpc();
    const all = await Promise.all(Array.from({ length: 199 }, () => collect(client.frames('SubscribeToTask', { id: task.id }))));
    for (const frames of all) {
      expect(frames.at(-1)?.response.statusUpdate?.status.state).toBe('TASK_STATE_COMPLETED');
      expect(frames.map(({ id }) => id)).toEqual(frames.map((_, i) => (frames[0]?.id as number) + i));
    }
    silent.destroy();
  });

  it('a Task of more than 4 MiB begins a stream that clients with the usual limit can read', async () => {
    const text = 'x'.repeat(6 * 1024 * 1024);
    const [first] = await collect(grpc().frames('SendStreamingMessage', sendParams(`complete done\n# ${text}`)), 1);
    expect(JSON.stringify(first?.response).length).toBeLessThan(4 * 1024 * 1024);
    expect(first?.response.task?.metadata).toBeDefined();
  });

  it('an API that ends in mid-stream ends its streams, which go on elsewhere, and names the task to those who wait', async () => {
    const stream = grpc(0).frames('SendStreamingMessage', sendParams('working\nchunks 200 20\ncomplete done'));
    const frames: Received[] = [(await stream.next()).value as Received];
    const waiting = grpc(0).call('SendMessage', sendParams('working\nsleep 8000\ncomplete done', { contextId: 'c-stop' }));
    const refused = expect(waiting).rejects.toMatchObject({
      code: 14,
      details: [expect.objectContaining({ reason: 'UNAVAILABLE', metadata: { taskId: expect.any(String) } })],
    });
    await cluster.waitFor(async () => (await rpc().list({ contextId: 'c-stop' })).totalSize === 1);
    const stopped = cluster.stopApi(0);
    frames.push(...(await collect(stream)));
    await refused;
    await stopped;
    const id = frames[0]?.response.task?.id as string;
    const metadata = { 'a2a-last-event-id': String(frames.at(-1)?.id) };
    frames.push(...(await collect(grpc(1).frames('SubscribeToTask', { id }, { metadata }))).slice(1));
    expect(frames.map((frame) => frame.id)).toEqual((await cluster.eventsOf(id)).map(({ sequence }) => sequence));
    await cluster.startApi(0);
  });
});
