import type { StreamResponse, Task } from '#protocol';
import { A2AClient, stateOf, type Received } from '../support/a2a-client.js';
import { useCluster } from '../support/cluster.js';

const MOST_BYTES = 4 * 1024 * 1024;

describe('what a message may hold', () => {
  const cluster = useCluster({ apis: 1, workers: 1 });
  const agent = () => new A2AClient(cluster.apiUrl(0)).agent('script');
  const send = (method: string, message: object, configuration?: object): Promise<{ task: Task }> =>
    agent().rpc(method, {
      message: { messageId: 'm', role: 'ROLE_USER', ...message },
      ...(configuration ? { configuration } : {}),
    });
  const rows = async (): Promise<unknown> => (await cluster.sql('select count(*) as tasks, max(sequence) as last from task'))[0];

  it.each([
    ['raw bytes', { raw: 'AAAA', mediaType: 'image/png' }],
    ['a URL', { url: 'https://example.com/a.pdf', mediaType: 'application/pdf' }],
    ['text of another type', { text: '<p>', mediaType: 'text/html' }],
  ])('%s that the agent does not take are refused, and nothing is stored', async (_, part) => {
    const before = await rows();
    for (const method of ['SendMessage', 'SendStreamingMessage']) {
      await expect(send(method, { parts: [{ text: 'complete' }, part] })).rejects.toMatchObject({
        code: -32005,
        data: expect.arrayContaining([
          expect.objectContaining({ reason: 'CONTENT_TYPE_NOT_SUPPORTED' }),
          expect.objectContaining({ fieldViolations: [expect.objectContaining({ field: 'message.parts[1]' })] }),
        ]),
      });
    }
    expect(await rows()).toEqual(before);
  });

  it('a follow-up with such a part is refused too, and the task goes on waiting', async () => {
    const asked = await agent().sendForTask('input q?');
    const parts = [{ raw: 'AAAA', mediaType: 'image/png' }];
    await expect(send('SendMessage', { parts, taskId: asked.id })).rejects.toMatchObject({ code: -32005 });
    expect(await agent().get(asked.id)).toEqual(asked);
    expect(await cluster.eventsOf(asked.id)).toHaveLength(2);
  });

  it('what the agent takes is taken', async () => {
    const { task } = await send('SendMessage', {
      parts: [
        { text: 'complete done', mediaType: 'text/plain' },
        { data: { a: 1 } },
        { url: 'https://example.com/a.json', mediaType: 'application/json' },
      ],
    });
    expect(stateOf(task)).toBe('TASK_STATE_COMPLETED');
  });

  it('output modes are refused only when the agent makes none of them', async () => {
    const message = { parts: [{ text: 'complete done' }] };
    const before = await rows();
    await expect(send('SendMessage', message, { acceptedOutputModes: ['image/png'] })).rejects.toMatchObject({ code: -32005 });
    expect(await rows()).toEqual(before);
    const { task } = await send('SendMessage', message, { acceptedOutputModes: ['image/png', 'text/plain'] });
    expect(stateOf(task)).toBe('TASK_STATE_COMPLETED');
  });

  it('a Task frame stays below 4 MiB: the largest artifact leaves it, and GetTask has it', async () => {
    const asked = await agent().sendForTask('big a 300\nbig b 3000\nbig c 1500\ninput more?');
    const ids = (task: Task | undefined): unknown[] => task?.artifacts?.map(({ artifactId }) => artifactId) ?? [];
    expect(ids(asked)).toEqual(['a', 'b', 'c']);
    expect(await agent().get(asked.id)).toEqual(asked);

    const firstOf = async (stream: AsyncGenerator<Received>): Promise<StreamResponse> => {
      const { response } = (await stream.next()).value as Received;
      await stream.return(undefined);
      return response;
    };
    const resumed = agent().subscribe(asked.id, await cluster.committedSequence(asked.id));
    for (const stream of [agent().subscribe(asked.id), resumed]) {
      const opening = await firstOf(stream);
      expect(Buffer.byteLength(JSON.stringify(opening))).toBeLessThan(MOST_BYTES);
      expect(ids(opening.task)).toEqual(['a', 'c']);
      expect(opening.task?.metadata).toEqual({ 'chorus/omittedArtifacts': ['b'] });
      expect(opening.task?.status).toEqual(asked.status);
      expect(opening.task?.history).toEqual(asked.history);
    }
    const continued = await firstOf(agent().stream('complete done', { taskId: asked.id }));
    expect(Buffer.byteLength(JSON.stringify(continued))).toBeLessThan(MOST_BYTES);
    expect(ids(continued.task)).toEqual(['a', 'c']);
  });
});
