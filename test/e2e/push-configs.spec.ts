import type { ListTaskPushNotificationConfigsResponse, TaskPushNotificationConfig } from '#protocol';
import { randomUUID } from 'node:crypto';
import { A2AClient, sendParams } from '../support/a2a-client.js';
import { useCluster } from '../support/cluster.js';
import { rowsWith } from '../support/leaks.js';
import { configOf, PUSH_ENV } from '../support/push-configs.js';
import { PushReceiver } from '../support/push-receiver.js';
import { ThreeBindings, type Json } from '../support/three-bindings.js';

const EVERY_EVENT = 'urn:chorus:push:every-event:v1';

/** What the bodies tell of: states, and the texts of artifacts. */
const toldBy = (receiver: PushReceiver): unknown[] =>
  receiver.got.map(({ body }) => {
    const { statusUpdate, artifactUpdate } = JSON.parse(body.toString());
    return statusUpdate?.status.state ?? artifactUpdate?.artifact.parts.map(({ text }: { text: string }) => text).join('');
  });

describe('push notification configurations', () => {
  const cluster = useCluster({
    apis: 2,
    workers: 1,
    env: { ...PUSH_ENV, CHORUS_DEFAULT_AGENT: 'script', SWEEP_MS: '300', MAX_PUSH_CONFIGS: '4' },
  });
  let receiver: PushReceiver;
  let bindings: ThreeBindings;
  beforeEach(async () => {
    receiver = await PushReceiver.start();
    bindings = new ThreeBindings({ url: cluster.apiUrl(0), grpcAddress: cluster.grpcAddress(0) }, 'script');
  });
  afterEach(async () => {
    bindings.close();
    await receiver.close();
  });

  const agent = (api = 1): A2AClient => new A2AClient(cluster.apiUrl(api)).agent('script');
  const asking = async (): Promise<string> => (await agent().sendForTask('input what?')).id;
  const create = (config: object, client = agent()): Promise<TaskPushNotificationConfig> =>
    client.rpc('CreateTaskPushNotificationConfig', { url: receiver.url, ...config });
  const list = (taskId: string): Promise<ListTaskPushNotificationConfigsResponse> =>
    agent().rpc('ListTaskPushNotificationConfigs', { taskId });
  const finished = (taskId: string): Promise<void> => cluster.waitFor(async () => (await configOf(cluster, taskId)).finished);
  const withConfig = (text: string, config: object): Json => ({
    ...sendParams(text),
    configuration: { taskPushNotificationConfig: { url: receiver.url, ...config } },
  });

  it('are what the card says, with the extension that asks for every event', async () => {
    const card = await (await fetch(`${cluster.apiUrl(0)}/agents/script/.well-known/agent-card.json`)).json();
    expect((card as { capabilities: unknown }).capabilities).toMatchObject({
      pushNotifications: true,
      extensions: [{ uri: EVERY_EVENT }],
    });
  });

  it('are made, read, listed in pages and deleted alike over each binding', async () => {
    const taskId = await asking();
    const authentication = { scheme: 'Bearer' };
    for (const id of ['a', 'b', 'c']) {
      const config = { taskId, id, url: 'https://receiver.example/ä?b=c', token: 't', authentication };
      expect(await bindings.same('createTaskPushNotificationConfig', () => config)).toEqual({
        result: { taskId, id, url: config.url, authentication },
      });
    }
    const shown = { taskId, id: 'b', url: 'https://receiver.example/ä?b=c', authentication };
    expect(await bindings.same('getTaskPushNotificationConfig', () => ({ taskId, id: 'b' }))).toEqual({ result: shown });
    const first = await bindings.same('listTaskPushNotificationConfigs', () => ({ taskId, pageSize: 2 }));
    const { configs, nextPageToken } = (first as { result: ListTaskPushNotificationConfigsResponse }).result;
    expect(configs?.map(({ id }) => id)).toEqual(['a', 'b']);
    expect(await bindings.same('listTaskPushNotificationConfigs', () => ({ taskId, pageToken: nextPageToken }))).toMatchObject({
      result: { configs: [{ id: 'c' }], nextPageToken: '' },
    });
    // The first deletes it, the others find it gone.
    expect(await bindings.same('deleteTaskPushNotificationConfig', () => ({ taskId, id: 'b' }))).toEqual({ result: {} });
    for (const name of [
      { taskId, id: 'b' },
      { taskId: randomUUID(), id: 'a' },
    ]) {
      expect(await bindings.same('getTaskPushNotificationConfig', () => name)).toMatchObject({
        error: { details: [{ reason: 'TASK_NOT_FOUND' }] },
      });
    }
    expect((await list(taskId)).configs?.map(({ id }) => id)).toEqual(['a', 'c']);
  });

  it('that are one too many, or not right, are refused alike over each binding', async () => {
    const taskId = await asking();
    for (const id of ['a', 'b', 'c', 'd']) await create({ taskId, id });
    const refused = async (request: object, fields: string[]): Promise<void> => {
      const config = { taskId, url: receiver.url, ...request };
      expect(await bindings.same('createTaskPushNotificationConfig', () => config)).toMatchObject({
        error: { details: [{ reason: 'INVALID_PARAMS' }, { fieldViolations: fields.map((field) => ({ field })) }] },
      });
    };
    await refused({ id: 'e' }, ['']);
    await refused({ url: 'ftp://receiver.example/' }, ['url']);
    await refused({ token: 'a\nb', authentication: { scheme: 'a b', credentials: 'ü' } }, [
      'token',
      'authentication.scheme',
      'authentication.credentials',
    ]);
    await create({ taskId, id: 'd' });
  });

  it('are made for no address that may not be called, alone and with a message', async () => {
    const taskId = await asking();
    for (const url of ['http://169.254.169.254/', 'http://[::ffff:10.0.0.1]/', 'http://redis:6379/', 'http://0xa9fea9fe/']) {
      await expect(create({ taskId, url })).rejects.toMatchObject({ code: -32602 });
      await expect(agent().rpc('SendMessage', withConfig('complete done', { url }))).rejects.toMatchObject({ code: -32602 });
    }
    expect((await list(taskId)).configs).toEqual([]);
  });

  it.each([
    ['sendMessage', 0],
    ['sendMessage', 1],
    ['sendMessage', 2],
    ['sendStreamingMessage', 0],
    ['sendStreamingMessage', 1],
    ['sendStreamingMessage', 2],
  ] as const)('%s over binding %i brings one, and all of the task is delivered', async (operation, binding) => {
    const { unary, frames } = bindings.all[binding]!;
    const authentication = { scheme: 'Bearer', credentials: 'cred' };
    const request = withConfig('working\nappend a one\nappend a two\ncomplete done', { token: 'tok', authentication });
    if (operation === 'sendMessage') await unary(operation, request);
    else for await (const _ of frames(operation, request));
    await cluster.waitFor(async () => toldBy(receiver).includes('TASK_STATE_COMPLETED'));
    expect(toldBy(receiver)).toEqual(['TASK_STATE_SUBMITTED', 'TASK_STATE_WORKING', 'onetwo', 'TASK_STATE_COMPLETED']);
    for (const { headers } of receiver.got)
      expect(headers).toMatchObject({ authorization: 'Bearer cred', 'x-a2a-notification-token': 'tok' });
  });

  it('of a task that has ended are told of its end, once', async () => {
    const { id: taskId } = await agent().sendForTask('working\ncomplete done');
    await create({ taskId });
    await finished(taskId);
    expect(toldBy(receiver)).toEqual(['TASK_STATE_COMPLETED']);
  });

  it('of a task that goes on are told of what comes next', async () => {
    const taskId = await asking();
    await create({ taskId });
    await agent().sendForTask('complete done', { taskId });
    await finished(taskId);
    expect(toldBy(receiver)).toEqual(['TASK_STATE_SUBMITTED', 'TASK_STATE_COMPLETED']);
  });

  it('that were made with the extension are told of every event', async () => {
    const request = withConfig('working\nworking\nappend a one\nappend a two\ncomplete done', {});
    await agent().with({ 'a2a-extensions': EVERY_EVENT }).rpc('SendMessage', request);
    await cluster.waitFor(async () => toldBy(receiver).includes('TASK_STATE_COMPLETED'));
    const working = 'TASK_STATE_WORKING';
    expect(toldBy(receiver)).toEqual(['TASK_STATE_SUBMITTED', working, working, 'one', 'two', 'TASK_STATE_COMPLETED']);
  });

  it('keep their secrets when an answer is written back, and tell nobody', async () => {
    const taskId = await asking();
    const [token, credentials] = [`tok-${randomUUID()}`, `cred-${randomUUID()}`];
    const made = await create({ taskId, token, authentication: { scheme: 'Bearer', credentials } });
    const answers = [made, await create(made as object, agent(0)), await list(taskId)];
    const moved = create({ ...made, url: 'https://receiver.example/' });
    await expect(moved).rejects.toMatchObject({ code: -32602, data: [{}, { fieldViolations: [{}, {}] }] });
    await agent().sendForTask('complete done', { taskId });
    await finished(taskId);
    for (const { headers } of receiver.got) {
      expect(headers).toMatchObject({ authorization: `Bearer ${credentials}`, 'x-a2a-notification-token': token });
    }
    expect(receiver.got.length).toBeGreaterThan(0);
    for (const secret of [token, credentials]) {
      expect(JSON.stringify(answers)).not.toContain(secret);
      expect(await rowsWith(cluster, secret)).toEqual([]);
      expect(cluster.logs()).not.toContain(secret);
    }
  });

  it('that were deleted are told nothing more', async () => {
    const taskId = await asking();
    const { id } = await create({ taskId });
    const other = await create({ taskId, url: `${receiver.origin}/other` });
    await agent().rpc('DeleteTaskPushNotificationConfig', { taskId, id });
    await agent().sendForTask('complete done', { taskId });
    await finished(taskId);
    const ids = receiver.got.map(({ headers }) => headers['x-a2a-notification-id']?.toString().split('.')[1]);
    expect(new Set(ids)).toEqual(new Set([other.id]));
  });

  it('are those of 0.3 for its clients, over its bindings', async () => {
    const base = `${cluster.apiUrl(0)}/agents/script`;
    const call = async (method: string, path: string, body?: object): Promise<unknown> => {
      const init = body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
      return (await fetch(base + path, { method, ...init })).json();
    };
    const rpc = async (method: string, params: object) =>
      ((await call('POST', '', { jsonrpc: '2.0', id: 1, method, params })) as { result: unknown }).result;
    const pushNotificationConfig = {
      url: receiver.url,
      token: 'tok',
      authentication: { schemes: ['Bearer'], credentials: 'cred' },
    };
    const message = { kind: 'message', messageId: 'm', role: 'user', parts: [{ kind: 'text', text: 'input what?' }] };
    const { id } = (await rpc('message/send', { message, configuration: { pushNotificationConfig } })) as { id: string };
    const shown = { taskId: id, pushNotificationConfig: { id, url: receiver.url, authentication: { schemes: ['Bearer'] } } };
    expect(await rpc('tasks/pushNotificationConfig/get', { id })).toEqual(shown);
    expect(await rpc('tasks/pushNotificationConfig/set', shown)).toEqual(shown);
    expect(await rpc('tasks/pushNotificationConfig/list', { id })).toEqual([shown]);
    const name = `tasks/${id}/pushNotificationConfigs/${id}`;
    expect(await call('GET', `/v1/${name}`)).toMatchObject({ name, pushNotificationConfig: { url: receiver.url } });
    await agent().sendForTask('complete done', { taskId: id });
    await finished(id);
    // A change of the configuration lets nobody know whether what was under way had arrived: that comes again.
    const byId = new Map(receiver.got.map(({ headers, body }) => [headers['x-a2a-notification-id'], body.toString()]));
    const tasks = [...byId.values()].map((body) => JSON.parse(body));
    expect(tasks.map(({ kind, status }) => [kind, status.state])).toEqual(
      ['submitted', 'input-required', 'submitted', 'completed'].map((state) => ['task', state]),
    );
    for (const { headers } of receiver.got) expect(headers).toMatchObject({ authorization: 'Bearer cred' });
    for (const _ of ['once', 'twice']) {
      const params = { id, pushNotificationConfigId: id };
      expect(await rpc('tasks/pushNotificationConfig/delete', params)).toBeNull();
    }
    expect(await rpc('tasks/pushNotificationConfig/list', { id })).toEqual([]);
  });
});
