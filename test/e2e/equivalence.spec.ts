import { randomUUID } from 'node:crypto';
import type { OperationName, Task } from '#protocol';
import { A2AClient, type Received } from '../support/a2a-client.js';
import { useCluster } from '../support/cluster.js';
import { anonymous, ThreeBindings, type Json } from '../support/three-bindings.js';

interface Tasks {
  /** COMPLETED, with an artifact. */
  readonly done: Task;
  /** INPUT_REQUIRED. */
  readonly asking: Task;
  readonly canceled: Task;
}

interface Case {
  readonly what: string;
  readonly operation: OperationName;
  readonly request: (tasks: Tasks) => Json;
}

const CONTEXT = 'equivalent';
const EVERY_VALUE = [null, true, false, 0, -1.5, 1e21, 2 ** 53, '', 'ä€😀\u2028\r\n', [], {}, [[]], { a: { b: null } }];
const metadata = { values: EVERY_VALUE, text: 'x', nothing: null };
const user = (text: string, more: Json = {}): Json => ({
  message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text }], ...more },
});
const sent = (text: string, more: Json = {}): Json => ({ ...user(text), ...more });

const SENDS: readonly Case[] = [
  {
    what: 'a blocking send',
    operation: 'sendMessage',
    request: () => user('working\nartifact a text\nappend a more\ncomplete done'),
  },
  { what: 'a failure', operation: 'sendMessage', request: () => user('fail no') },
  { what: 'a fault of the agent', operation: 'sendMessage', request: () => user('throw') },
  { what: 'a rejection', operation: 'sendMessage', request: () => user('reject no') },
  { what: 'a question', operation: 'sendMessage', request: () => user('input which?') },
  { what: 'a demand for credentials', operation: 'sendMessage', request: () => user('auth who?') },
  {
    what: 'a send that does not wait',
    operation: 'sendMessage',
    request: () => sent('sleep 300\ncomplete done', { configuration: { returnImmediately: true } }),
  },
  {
    what: 'a send without history',
    operation: 'sendMessage',
    request: () => sent('complete done', { configuration: { historyLength: 0 } }),
  },
  {
    what: 'a send that names what it takes',
    operation: 'sendMessage',
    request: () => sent('complete done', { configuration: { acceptedOutputModes: ['text/*'], historyLength: 1 } }),
  },
  {
    what: 'a context of the client',
    operation: 'sendMessage',
    request: () => user('complete done', { contextId: 'of the client' }),
  },
  {
    what: 'metadata',
    operation: 'sendMessage',
    request: () => sent(`metadata ${JSON.stringify(metadata)}\ncomplete done`, { metadata }),
  },
  {
    what: 'every kind of content',
    operation: 'sendMessage',
    request: () =>
      user('', {
        parts: [
          { text: 'complete done' },
          { text: '', mediaType: 'text/plain', metadata },
          { raw: 'AAECAwT/', filename: 'f.txt', mediaType: 'text/plain' },
          { url: 'https://a.example/x?y=ä', mediaType: 'application/json' },
          ...EVERY_VALUE.map((data) => ({ data })),
        ],
        metadata,
        extensions: ['urn:e'],
      }),
  },
];

const READS: readonly Case[] = [
  { what: 'a task', operation: 'getTask', request: ({ done }) => ({ id: done.id }) },
  { what: 'a task without history', operation: 'getTask', request: ({ done }) => ({ id: done.id, historyLength: 0 }) },
  { what: 'one of its messages', operation: 'getTask', request: ({ done }) => ({ id: done.id, historyLength: 1 }) },
  { what: 'a list', operation: 'listTasks', request: () => ({ contextId: CONTEXT }) },
  {
    what: 'a list with everything',
    operation: 'listTasks',
    request: () => ({ contextId: CONTEXT, includeArtifacts: true, historyLength: 5, pageSize: 2 }),
  },
  {
    what: 'a list of one state',
    operation: 'listTasks',
    request: () => ({ contextId: CONTEXT, status: 'TASK_STATE_INPUT_REQUIRED' }),
  },
  { what: 'a list of nothing', operation: 'listTasks', request: () => ({ contextId: 'nothing is there' }) },
  {
    what: 'a later list',
    operation: 'listTasks',
    request: () => ({ contextId: CONTEXT, statusTimestampAfter: '2100-01-01T00:00:00Z' }),
  },
  {
    what: 'a list since then, to the millisecond',
    operation: 'listTasks',
    request: ({ done }) => ({ contextId: CONTEXT, statusTimestampAfter: done.status.timestamp }),
  },
  {
    what: 'a cancel of what is canceled',
    operation: 'cancelTask',
    request: ({ canceled }) => ({ id: canceled.id, metadata }),
  },
];

describe('the three bindings answer alike', () => {
  const cluster = useCluster({ apis: 1, workers: 1 });
  const opened: ThreeBindings[] = [];
  let tasks: Tasks;

  const bindings = (agentId = 'script'): ThreeBindings => {
    const three = new ThreeBindings({ url: cluster.apiUrl(0), grpcAddress: cluster.grpcAddress(0) }, agentId);
    opened.push(three);
    return three;
  };
  const client = (): A2AClient => new A2AClient(cluster.apiUrl(0)).agent('script');

  beforeAll(async () => {
    const options = { contextId: CONTEXT };
    const done = await client().sendForTask('working\nartifact a text\ncomplete done', options);
    const asking = await client().sendForTask('input which?', options);
    const canceled = await client().cancel((await client().sendForTask('input now?', options)).id);
    tasks = { done, asking, canceled };
  }, 30_000);
  afterAll(() => opened.forEach((three) => three.close()));

  it.each([...SENDS, ...READS])('$what', async ({ operation, request }) => {
    expect(await bindings().same(operation, () => request(tasks))).toHaveProperty('result');
  });

  it.each(['script-message', 'script-either'])('the message of %s', async (agentId) => {
    const { all } = bindings(agentId);
    for (const binding of all) {
      const answer = await binding.unary('sendMessage', user('message hello'));
      expect(anonymous(answer)).toEqual({
        message: { messageId: 'id-0', contextId: 'id-1', role: 'ROLE_AGENT', parts: [{ text: 'hello' }] },
      });
    }
    expect(await bindings(agentId).same('sendStreamingMessage', () => user('message hello'))).toHaveProperty('result.length', 1);
  });

  it('a conversation goes on over another binding than it began with', async () => {
    const { all } = bindings();
    const { task } = (await all[0]?.unary('sendMessage', user('input 1?'))) as { task: Task };
    for (const { unary } of all) await unary('sendMessage', user('input next?', { taskId: task.id, contextId: task.contextId }));
    const outcome = await bindings().same('getTask', () => ({ id: task.id }));
    expect(outcome).toMatchObject({ result: { status: { state: 'TASK_STATE_INPUT_REQUIRED' } } });
    expect((outcome as { result: Task }).result.history).toHaveLength(8);
  });

  it('pages, whose tokens hold for every binding', async () => {
    const pages: unknown[] = [];
    const three = bindings();
    let pageToken = '';
    do {
      const page = await three.same('listTasks', () => ({ contextId: CONTEXT, pageSize: 1, pageToken }));
      const { result } = page as { result: { tasks: Task[]; nextPageToken: string; totalSize: number } };
      expect(result.totalSize).toBe(3);
      pages.push(...result.tasks.map(({ id }) => id));
      pageToken = result.nextPageToken;
    } while (pageToken !== '');
    expect(pages).toEqual([tasks.canceled.id, tasks.asking.id, tasks.done.id]);
  });

  it('a key of idempotency is one key', async () => {
    const key = { 'idempotency-key': randomUUID() };
    const answers: unknown[] = [];
    for (const { unary } of bindings().all) answers.push(await unary('sendMessage', user('complete done', { metadata }), key));
    expect(answers[1]).toEqual(answers[0]);
    expect(answers[2]).toEqual(answers[0]);
  });

  it('a cancel, whose reason the agent is told', async () => {
    const running = async (): Promise<Json> => {
      const { id } = await client().sendForTask('working\nsleep 20000', { returnImmediately: true });
      await cluster.waitFor(async () => (await client().get(id)).status.state === 'TASK_STATE_WORKING');
      return { id, metadata: { reason: 'enough' } };
    };
    expect(await bindings().same('cancelTask', running)).toMatchObject({
      result: { status: { state: 'TASK_STATE_CANCELED' } },
    });
  });

  it.each([
    ['a stream', 'sleep 200\nworking\nartifact a text\nchunks 5 10\ncomplete done', 8],
    ['a stream of a question', 'sleep 200\ninput which?', 2],
    ['a stream of a failure', 'sleep 200\nthrow', 2],
  ])('%s, with the same numbers', async (_what, text, least) => {
    const { result } = (await bindings().same('sendStreamingMessage', () => user(text))) as { result: Received[] };
    expect(result.length).toBeGreaterThanOrEqual(least);
    expect(result.map(({ id }) => id)).toEqual(result.map((_, index) => (result[0]?.id as number) + index));
  });

  it('a subscription resumed after what was seen', async () => {
    const { id } = await client().sendForTask('working\nchunks 5 0\ncomplete done');
    const outcome = await bindings().same('subscribeToTask', () => ({ id }), { 'last-event-id': '3' });
    const { result } = outcome as { result: Received[] };
    expect(result.length).toBeGreaterThanOrEqual(5);
    expect(result.map((frame) => frame.id)).toEqual(result.map((_, index) => 3 + index));
  });

  it('subscriptions to one live task have the same frames', async () => {
    const { id, contextId } = await client().sendForTask('input which?');
    const streams = bindings().all.map(({ frames }) => frames('subscribeToTask', { id }));
    const seen = await Promise.all(streams.map(async (stream) => [(await stream.next()).value as Received]));
    await client().send('working\nchunks 5 5\ncomplete done', { taskId: id, contextId });
    await Promise.all(
      streams.map(async (stream, index) => {
        for await (const frame of stream) seen[index]?.push(frame);
      }),
    );
    expect(seen[0]?.length).toBeGreaterThanOrEqual(8);
    expect(seen[1]).toEqual(seen[0]);
    expect(seen[2]).toEqual(seen[0]);
  });
});
