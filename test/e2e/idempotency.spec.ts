import { randomUUID } from 'node:crypto';
import { A2AClient, sendParams } from '../support/a2a-client.js';
import { useCluster } from '../support/cluster.js';

describe('idempotency keys', () => {
  const cluster = useCluster({ apis: 2, workers: 1 });
  const client = (replica: number, key: string) =>
    new A2AClient(cluster.apiUrl(replica), { 'idempotency-key': key }).agent('script');

  it('20 parallel sends with one key, over two replicas: one task, 20 equal answers', async () => {
    const key = randomUUID();
    const params = sendParams('artifact a once\nsleep 100\ncomplete done', { contextId: `ctx-${key}` });
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => client(i % 2, key).rpc<{ task: { id: string } }>('SendMessage', params)),
    );
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect((await client(0, key).list({ contextId: `ctx-${key}` })).totalSize).toBe(1);
    expect((await cluster.eventsOf(answers[0]?.task.id as string)).filter(({ kind }) => kind === 'accepted')).toHaveLength(1);
  });

  it('a follow-up with a key is taken once', async () => {
    const asked = await client(0, randomUUID()).sendForTask('input q?');
    const key = randomUUID();
    const params = sendParams('input again?', { taskId: asked.id });
    const answers = await Promise.all(Array.from({ length: 6 }, (_, i) => client(i % 2, key).rpc('SendMessage', params)));
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect((await cluster.eventsOf(asked.id)).filter(({ kind }) => kind === 'accepted')).toHaveLength(2);
  });

  it('the key with another body is InvalidParams, and a refused send leaves the key free', async () => {
    const key = randomUUID();
    const done = await client(0, randomUUID()).sendForTask('complete');
    await expect(client(0, key).send('complete', { taskId: done.id })).rejects.toMatchObject({ code: -32004 });
    await client(0, key).send('complete', { messageId: 'first' });
    await expect(client(1, key).send('complete', { messageId: 'second' })).rejects.toMatchObject({ code: -32602 });
  });
});
