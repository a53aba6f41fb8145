import { OPERATIONS, SCOPES, type OperationName } from '#protocol';
import { randomUUID } from 'node:crypto';
import { A2AClient, sendParams, stateOf } from '../support/a2a-client.js';
import { chorus, createKey } from '../support/chorus-command.js';
import { useCluster } from '../support/cluster.js';
import { ask, BINDINGS, CONFIG, CONFIG_ID, type Binding, type EveryBinding, type Told } from '../support/every-operation.js';
import { GrpcClient } from '../support/grpc-client.js';
import { PUSH_ENV } from '../support/push-configs.js';
import { ThreeBindings } from '../support/three-bindings.js';

const operations = Object.keys(OPERATIONS) as OperationName[];
const ofOneTask = operations.filter((name) => !['listTasks', 'getExtendedAgentCard'].includes(name));
const cases = BINDINGS.flatMap((binding) => operations.map((operation): [Binding, OperationName] => [binding, operation]));

const HTTP_OR_GRPC = { unauthenticated: [401, 401, 16], denied: [403, 403, 7] } as const;
const statusOf = (kind: keyof typeof HTTP_OR_GRPC, binding: Binding): number =>
  HTTP_OR_GRPC[kind][BINDINGS.indexOf(binding)] as number;

describe('API keys, on every binding', () => {
  const cluster = useCluster({
    apis: 2,
    workers: 1,
    env: { ...PUSH_ENV, CHORUS_AUTH: 'apikey', CHORUS_DEFAULT_AGENT: 'script', AUTH_FAILURE_LIMIT: 'off' },
  });
  const all = ['--scope', ...SCOPES];
  const keys: Record<string, string> = {};
  let target: EveryBinding;
  let owner: A2AClient;

  beforeAll(async () => {
    const create = async (name: string, ...args: string[]): Promise<string> => {
      const { id, key } = await createKey(cluster.databaseUrl, ...args);
      keys[name] = key;
      return id;
    };
    await create('right', '--tenant', 'acme', '--principal', 'ada', ...all);
    await create('other principal', '--tenant', 'acme', '--principal', 'eve', ...all);
    await create('other tenant', '--tenant', 'umbrella', '--principal', 'ada', ...all);
    await create('no tenant', '--principal', 'ada', ...all);
    const expired = await create('expired', '--tenant', 'acme', '--principal', 'ada', '--expires', '1h', ...all);
    await cluster.sql(`update api_key set expires_at = now() - interval '1 second' where id = '${expired}'`);
    const revoked = await create('revoked', '--tenant', 'acme', '--principal', 'ada', ...all);
    await chorus(cluster.databaseUrl, 'keys', 'revoke', revoked);
    keys['wrong'] = `${keys['right']!.slice(0, -6)}aaaaaa`;
    target = { url: `${cluster.apiUrl(0)}/agents/script`, grpc: new GrpcClient(cluster.grpcAddress(0), 'script') };
    owner = new A2AClient(cluster.apiUrl(1), { 'x-api-key': keys['right']! }).agent('script');
  });
  afterAll(() => target.grpc.close());

  const headersOf = (who: string): Record<string, string> => (who === 'nobody' ? {} : { 'x-api-key': keys[who]! });
  const asked = (who: string, [binding, operation]: [Binding, OperationName], taskId: string): Promise<Told> =>
    ask(target, binding, operation, { taskId, headers: headersOf(who) });
  /** With a push configuration. */
  const ownTask = async (): Promise<string> => {
    const { id: taskId } = await owner.sendForTask('input what?');
    await owner.rpc('CreateTaskPushNotificationConfig', { taskId, ...CONFIG, id: CONFIG_ID });
    return taskId;
  };

  it.each(cases)('%s %s: nobody comes in with no credential or one that is not valid', async (binding, operation) => {
    const taskId = await ownTask();
    for (const who of ['nobody', 'wrong', 'expired', 'revoked']) {
      const answer = await asked(who, [binding, operation], taskId);
      expect([who, answer.status]).toEqual([who, statusOf('unauthenticated', binding)]);
      expect(answer).toEqual(await asked(who, [binding, operation], randomUUID()));
    }
    expect(stateOf(await owner.get(taskId))).toBe('TASK_STATE_INPUT_REQUIRED');
  });

  it.each(cases.filter(([, operation]) => ofOneTask.includes(operation)))(
    "%s %s: another's task is told of in every byte as one that there is not",
    async (binding, operation) => {
      const taskId = await ownTask();
      const before = await owner.get(taskId);
      const without = ({ status, text }: Told, id: string): Told => ({ status, text: text.replaceAll(id, '<task>') });
      for (const who of ['other principal', 'other tenant', 'no tenant']) {
        const missing = randomUUID();
        const foreign = without(await asked(who, [binding, operation], taskId), taskId);
        expect(foreign).toEqual(without(await asked(who, [binding, operation], missing), missing));
        // And as the owner is told of a task that there is not.
        const nowhere = randomUUID();
        expect(foreign).toEqual(without(await asked('right', [binding, operation], nowhere), nowhere));
      }
      expect(await owner.get(taskId)).toEqual(before);
    },
  );

  it.each(cases)('%s %s: the owner is let in', async (binding, operation) => {
    const { status, text } = await asked('right', [binding, operation], await ownTask());
    expect([statusOf('unauthenticated', binding), statusOf('denied', binding)]).not.toContain(status);
    expect(text).not.toMatch(/TASK_NOT_FOUND/);
  });

  it.each(BINDINGS)("%s: a list has one's own tasks and no others", async (binding) => {
    const taskId = await ownTask();
    expect((await asked('right', [binding, 'listTasks'], taskId)).text).toContain(taskId);
    for (const who of ['other principal', 'other tenant', 'no tenant']) {
      expect((await asked(who, [binding, 'listTasks'], taskId)).text).not.toContain(taskId);
    }
  });

  it.each(cases)('%s %s: without its scope it is denied, by name', async (binding, operation) => {
    const { scope, method } = OPERATIONS[operation];
    const others = SCOPES.filter((other) => other !== scope);
    const name = `all but ${scope}`;
    keys[name] ??= (await createKey(cluster.databaseUrl, '--tenant', 'acme', '--principal', 'ada', '--scope', ...others)).key;
    const answer = await asked(name, [binding, operation], await ownTask());
    expect(answer.status).toBe(statusOf('denied', binding));
    expect(answer.text).toContain(`${method} needs a credential with the scope ${scope}`);
  });

  it('the extended card is the same over each binding, and has what the scopes of the caller permit', async () => {
    const endpoints = { url: cluster.apiUrl(0), grpcAddress: cluster.grpcAddress(0) };
    const bindings = new ThreeBindings(endpoints, 'script');
    const { key } = await createKey(cluster.databaseUrl, '--tenant', 'acme', '--principal', 'ada', '--scope', 'card:extended');
    for (const [credential, skills] of [
      [keys['right']!, ['script', 'known', 'administered']],
      [key, ['script', 'known']],
    ] as const) {
      const outcome = await bindings.same('getExtendedAgentCard', () => ({}), { 'x-api-key': credential });
      expect(outcome).toMatchObject({
        result: {
          supportedInterfaces: [
            { url: `${endpoints.url}/agents/script`, protocolBinding: 'JSONRPC' },
            { protocolBinding: 'HTTP+JSON' },
            { url: endpoints.grpcAddress, protocolBinding: 'GRPC' },
            ...[{}, {}, {}],
          ],
          skills: skills.map((id) => ({ id })),
        },
      });
    }
    bindings.close();
  });

  it('a message that brings a push configuration needs the scope push as well', async () => {
    const args = ['--tenant', 'acme', '--principal', 'ada', '--scope', 'tasks:read', 'tasks:write'];
    const { key } = await createKey(cluster.databaseUrl, ...args);
    const client = new A2AClient(cluster.apiUrl(0), { 'x-api-key': key }).agent('script');
    const params = { ...sendParams('complete done'), configuration: { taskPushNotificationConfig: CONFIG } };
    for (const method of ['SendMessage', 'SendStreamingMessage']) {
      const response = await client.post(client.baseUrl, { jsonrpc: '2.0', id: 1, method, params });
      expect([response.status, await response.text()]).toEqual([403, expect.stringContaining('with the scope push')]);
    }
    expect((await client.list({ contextId: 'none' })).totalSize).toBe(0);
    expect(stateOf(await client.sendForTask('complete done'))).toBe('TASK_STATE_COMPLETED');
  });

  it('a key of one principal of another agent finds nothing of this one', async () => {
    const { key } = await createKey(cluster.databaseUrl, '--tenant', 'acme', '--principal', 'ada', '--agent', 'echo', ...all);
    const client = new A2AClient(cluster.apiUrl(0), { authorization: `Bearer ${key}` });
    expect(stateOf(await client.agent('echo').sendForTask('hello'))).toBe('TASK_STATE_COMPLETED');
    const response = await client.agent('script').post(`${cluster.apiUrl(0)}/agents/script`, {
      jsonrpc: '2.0',
      id: 1,
      method: 'GetTask',
      params: { id: await ownTask() },
    });
    expect(response.status).toBe(403);
  });

  it('two principals use one context string, and share nothing', async () => {
    const client = (who: string) => new A2AClient(cluster.apiUrl(0), headersOf(who)).agent('script');
    const contextId = `c-${randomUUID()}`;
    const mine = await client('right').sendForTask('complete done', { contextId });
    const others = await client('other principal').sendForTask('complete done', { contextId });
    for (const [who, task] of [
      ['right', mine],
      ['other principal', others],
    ] as const) {
      const { tasks, totalSize } = await client(who).list({ contextId });
      expect([tasks.map(({ id }) => id), totalSize]).toEqual([[task.id], 1]);
    }
  });

  it('a key that is revoked is refused by every API within seconds', async () => {
    const { id, key } = await createKey(cluster.databaseUrl, '--principal', 'soon gone');
    const clients = cluster.apiUrls().map((url) => new A2AClient(url, { 'x-api-key': key }).agent('script'));
    const admitted = (): Promise<boolean[]> =>
      Promise.all(
        clients.map((client) =>
          client.list({}).then(
            () => true,
            () => false,
          ),
        ),
      );
    expect(await admitted()).toEqual([true, true]);
    await chorus(cluster.databaseUrl, 'keys', 'revoke', id);
    await cluster.waitFor(async () => (await admitted()).every((one) => !one), 10_000);
  });

  it('no secret of a key is in the database, the logs or a list', async () => {
    const secrets = Object.values(keys).map((key) => key.slice('chorus_0123456789abcdef_'.length));
    const [dump] = await cluster.sql<{ text: string }>(`select json_agg(k)::text as text from api_key k`);
    const shown = [dump!.text, cluster.logs(), await chorus(cluster.databaseUrl, 'keys', 'list')];
    expect(shown[2]).toContain('ada');
    for (const text of shown) for (const secret of secrets) expect(text).not.toContain(secret);
  });
});
