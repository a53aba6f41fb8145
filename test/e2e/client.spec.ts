import { A2AClient, PeerDirectory, type PeerOptions, type Received } from '#client';
import type { AgentEvent, ExecutionContext } from '#core';
import { GuardedFetch, OutboundPolicy } from '#outbound';
import type { Message } from '#protocol';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { randomUUID } from 'node:crypto';
import { InMemoryHost } from '../support/in-memory-host.js';
import { startSdkAgent } from '../support/sdk-agent.js';

const fetch = new GuardedFetch(new OutboundPolicy('127.0.0.1'));
const text = (value: string, more: Partial<Message> = {}): Message => ({
  messageId: randomUUID(),
  role: 'ROLE_USER',
  parts: [{ text: value }],
  ...more,
});

/** Everything that a part, an artifact and a status can carry, and a question in between. */
async function* everything({ turn, message }: ExecutionContext): AsyncGenerator<AgentEvent> {
  if (turn === 1) {
    yield { statusUpdate: { state: 'TASK_STATE_INPUT_REQUIRED', message: { parts: [{ text: 'which?' }] } } };
    return;
  }
  yield { statusUpdate: { state: 'TASK_STATE_WORKING', message: { parts: [{ text: '…' }], metadata: { n: 1 } } } };
  const parts = [
    { text: '😀\r\n\u2028' },
    { raw: 'AAEC', mediaType: 'image/png', filename: 'a.png' },
    { url: 'https://example.org/a', mediaType: 'text/html' },
    { data: { a: [1, null, { b: 'c' }] }, metadata: { p: true } },
    { data: [1, 2] },
  ];
  yield {
    artifactUpdate: { artifact: { artifactId: 'a', name: 'A', description: 'd', parts, metadata: { m: 1 } }, lastChunk: true },
  };
  yield { statusUpdate: { state: 'TASK_STATE_COMPLETED', message: { parts: [{ text: `got ${message.parts[0]?.text}` }] } } };
}

let host: InMemoryHost;
let cards: ReturnType<typeof createServer>;
let card: object;
beforeAll(async () => {
  host = await InMemoryHost.start({ execute: everything, env: { A2A_V03: 'on' } });
  cards = createServer((_request, response) => response.setHeader('content-type', 'application/json').end(JSON.stringify(card)));
  cards.listen(0, '127.0.0.1');
  await once(cards, 'listening');
});
afterAll(async () => {
  cards.close();
  await host.close();
  await fetch.close();
});

/** A client over one interface alone. */
function over(protocolBinding: string, protocolVersion: string): A2AClient {
  const url = `${host.url}/agents/agent`;
  card = { name: 'agent', capabilities: { streaming: true }, supportedInterfaces: [{ url, protocolBinding, protocolVersion }] };
  const options: PeerOptions = { interfaceOrigins: [host.url] };
  const at = `http://127.0.0.1:${(cards.address() as AddressInfo).port}/card.json`;
  return new A2AClient(at, { fetch, directory: new PeerDirectory() }, options);
}

async function all(stream: AsyncGenerator<Received>): Promise<Received[]> {
  const list: Received[] = [];
  for await (const received of stream) list.push(received);
  return list;
}

describe.each([
  ['JSONRPC', '1.0'],
  ['HTTP+JSON', '1.0'],
  ['JSONRPC', '0.3'],
  ['HTTP+JSON', '0.3'],
])('Chorus over %s of %s', (binding, version) => {
  it('a question, a follow-up by stream, and the task as it was left', async () => {
    const client = over(binding, version);
    const { task: asked } = await client.send({ message: text('hello') });
    expect(asked?.status).toMatchObject({ state: 'TASK_STATE_INPUT_REQUIRED', message: { parts: [{ text: 'which?' }] } });
    const message = text('blue', { taskId: asked?.id as string });
    const received = await all(client.stream({ message }));
    const artifacts = received.flatMap(({ response }) => (response.artifactUpdate ? [response.artifactUpdate.artifact] : []));
    expect(artifacts).toEqual([
      expect.objectContaining({
        artifactId: 'a',
        name: 'A',
        description: 'd',
        metadata: { m: 1 },
        parts: [
          { text: '😀\r\n\u2028' },
          { raw: 'AAEC', mediaType: 'image/png', filename: 'a.png' },
          // 0.3 has no media type for a URL in the proto form but in the file, where it is read from.
          { url: 'https://example.org/a', mediaType: 'text/html' },
          { data: { a: [1, null, { b: 'c' }] }, metadata: { p: true } },
          { data: [1, 2] },
        ],
      }),
    ]);
    const last = received.at(-1)?.response.statusUpdate?.status;
    expect(last).toMatchObject({ state: 'TASK_STATE_COMPLETED', message: { parts: [{ text: 'got blue' }] } });
    const task = await client.get({ id: asked?.id as string });
    expect(task.status).toEqual(last);
    expect(task.artifacts).toEqual(artifacts);
    expect(task.history?.map(({ role }) => role)).toEqual(['ROLE_USER', 'ROLE_AGENT', 'ROLE_USER', 'ROLE_AGENT']);
  });

  it('a task is canceled, and one that is unknown or has ended is refused by name', async () => {
    const client = over(binding, version);
    const received = await all(client.stream({ message: text('hello') }));
    const id = received[0]?.response.task?.id as string;
    expect(received.at(-1)?.response.statusUpdate?.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
    expect((await client.cancel({ id })).status.state).toBe('TASK_STATE_CANCELED');
    const ended = client.send({ message: text('more', { taskId: id }) });
    await expect(ended).rejects.toMatchObject({ error: 'UnsupportedOperationError' });
    await expect(client.get({ id: randomUUID() })).rejects.toMatchObject({ error: 'TaskNotFoundError' });
    expect((await all(client.subscribe(id))).at(-1)?.response.task?.status.state).toBe('TASK_STATE_CANCELED');
  });
});

it('lists are those of 1.0', async () => {
  const { tasks, totalSize } = await over('HTTP+JSON', '1.0').list({ pageSize: 1 });
  expect(tasks).toHaveLength(1);
  expect(totalSize).toBeGreaterThan(1);
  await expect(over('JSONRPC', '0.3').list({})).rejects.toThrow('0.3 has no ListTasks');
});

it('the card of Chorus itself leads to it, in the version that is asked for', async () => {
  for (const protocol of ['auto', '1.0', '0.3'] as const) {
    const client = new A2AClient(`${host.url}/agents/agent/`, { fetch, directory: new PeerDirectory() }, { protocol });
    expect((await client.send({ message: text('hello') })).task?.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
  }
});

it("the official SDK's server is called over what its card names", async () => {
  const agent = await startSdkAgent();
  try {
    const client = new A2AClient(agent.url, { fetch, directory: new PeerDirectory() });
    expect((await client.send({ message: text('hello') })).task?.status).toMatchObject({ state: 'TASK_STATE_COMPLETED' });
    const states = (await all(client.stream({ message: text('hello') }))).map(
      ({ response }) => (response.task ?? response.statusUpdate)?.status.state,
    );
    expect(states.at(-1)).toBe('TASK_STATE_COMPLETED');
  } finally {
    await agent.stop();
  }
});
