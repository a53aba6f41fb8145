import { SendMessageRequest, StreamResponse, Task } from '@a2a-js/sdk';
import { LegacyJsonRpcTransport, LegacyRestTransport } from '@a2a-js/sdk/compat/v0_3/client';
import { LegacyGrpcTransport } from '@a2a-js/sdk/compat/v0_3/client/grpc';
import type { Client } from '@grpc/grpc-js';
import type { Task as WireTask } from '#protocol';
import { Deferred } from '#testing';
import { A2AClient, stateOf } from '../support/a2a-client.js';
import { useCluster } from '../support/cluster.js';

/** The proto of 0.3.0, which the SDK has, knows neither the name of a file nor the metadata of a part, which says what data was no object. */
const NOT_IN_THE_PROTO = [
  { raw: 'aGk=', mediaType: 'text/plain', filename: 'f.txt' },
  { data: { a: 1 }, metadata: { k: 'v' } },
  { data: ['no', 'object'] },
];

/** Clients of 0.3 at replica A, one of 1.0 at replica B. What the former read is compared as the official SDK translates it. */
describe('Clients of 0.3 and of 1.0 on one task', () => {
  const cluster = useCluster({ apis: 2, workers: 1, env: { CHORUS_DEFAULT_AGENT: 'script' } });
  const endpoint = () => `${cluster.apiUrl(0)}/agents/script`;
  const v1 = () => new A2AClient(cluster.apiUrl(1)).agent('script');
  let grpc: LegacyGrpcTransport | undefined;
  // It has no way to close the channel that it opens.
  afterAll(() => (grpc as unknown as { grpcClient: Client }).grpcClient.close());

  describe.each([
    ['JSON-RPC', () => new LegacyJsonRpcTransport({ endpoint: endpoint() })],
    ['HTTP+JSON', () => new LegacyRestTransport({ endpoint: endpoint() })],
    ['gRPC', () => (grpc ??= new LegacyGrpcTransport({ endpoint: cluster.grpcAddress(0) }))],
  ])('over %s', (name, transport) => {
    const asSdkSees = (task: WireTask): unknown => Task.toJSON(Task.fromJSON(task));
    const request = (text: string, taskId: string): SendMessageRequest =>
      SendMessageRequest.fromJSON({
        message: { messageId: `m-${name}`, taskId, role: 'ROLE_USER', parts: [{ text }] },
        configuration: {},
      });

    it('read the same of it, whole', async () => {
      const { task } = await v1().rpc<{ task: WireTask }>('SendMessage', {
        message: {
          messageId: `whole-${name}`,
          role: 'ROLE_USER',
          metadata: { note: { deep: [1.5, null, true] } },
          parts: [
            { text: 'working\nartifact a text\nappend b one\nappend b two\ncomplete done 😀' },
            { raw: 'AAEC/w==', mediaType: 'text/plain' },
            { url: 'https://h.example/f', mediaType: 'text/plain' },
            { data: { a: [1, { b: null }] } },
            ...(name === 'JSON-RPC' ? NOT_IN_THE_PROTO : []),
          ],
        },
      });
      expect(stateOf(task)).toBe('TASK_STATE_COMPLETED');
      const read = await transport().getTask({ tenant: '', id: task.id });
      expect(Task.toJSON(read)).toEqual(asSdkSees(await v1().get(task.id)));
      expect(read.history).toHaveLength(task.history?.length as number);
    });

    it('take turns in one conversation, and watch it together', async () => {
      const asked = await v1().sendForTask('input which one?');
      const begun = [new Deferred(), new Deferred()] as const;
      const seenByV1: StreamResponse[] = [];
      const seenByV03: StreamResponse[] = [];
      const watching = Promise.all([
        (async () => {
          for await (const { response } of v1().subscribe(asked.id)) {
            seenByV1.push(StreamResponse.fromJSON(response));
            begun[0].resolve();
          }
        })(),
        (async () => {
          for await (const event of transport().resubscribeTask({ tenant: '', id: asked.id })) {
            seenByV03.push(event);
            begun[1].resolve();
          }
        })(),
      ]);
      await Promise.race([Promise.all(begun.map(({ promise }) => promise)), watching]);
      const answered = (await transport().sendMessage(request('working\nartifact a one\ncomplete done', asked.id))) as Task;
      await watching;
      expect(answered.id).toBe(asked.id);
      expect(seenByV03.map((event) => StreamResponse.toJSON(event))).toEqual(
        seenByV1.map((event) => StreamResponse.toJSON(event)),
      );
      expect(seenByV1.length).toBeGreaterThanOrEqual(4);
      const task = await v1().get(asked.id);
      expect([stateOf(task), task.history?.map(({ role }) => role)]).toEqual([
        'TASK_STATE_COMPLETED',
        ['ROLE_USER', 'ROLE_AGENT', 'ROLE_USER', 'ROLE_AGENT'],
      ]);
    });

    it('one cancels what the other began', async () => {
      const task = await v1().sendForTask('working\nsleep 60000', { returnImmediately: true });
      const canceled = await transport().cancelTask({ tenant: '', id: task.id, metadata: undefined });
      expect(Task.toJSON(canceled)).toEqual(asSdkSees(await v1().get(task.id)));
      expect(stateOf(await v1().get(task.id))).toBe('TASK_STATE_CANCELED');
    });
  });
});
