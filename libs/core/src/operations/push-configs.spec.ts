import { randomBytes } from 'node:crypto';
import { InvalidParamsError, TaskNotFoundError, type ListTaskPushNotificationConfigsResponse, type Task } from '#protocol';
import { InMemoryDatabase, InMemoryPushConfigStore } from '#testing';
import { EVERY_EVENT_EXTENSION } from '../push/every-event.js';
import { SecretBox } from '../push/sealed-secrets.js';
import { ctx, message, operationsWith, type Operations } from './operations-fixture.spec-support.js';

const URL = 'https://hooks.example/a';
const box = new SecretBox({ key: randomBytes(32) });
const receivers = {
  inspect: (url: string) => (url.includes('forbidden') ? { refused: 'it is forbidden' } : { origin: 'https://hooks.example' }),
};

describe('push notification configurations', () => {
  let operations: Operations;
  let hints: string[];
  beforeEach(async () => {
    hints = [];
    const database = new InMemoryDatabase();
    operations = await operationsWith({}, database, { store: new InMemoryPushConfigStore(database), box, receivers, most: 3 });
    await operations.bus.subscribe('push', {
      onMessage: (hint) => void (hint.type === 'push' && hints.push(hint.taskId)),
      onResubscribed: () => undefined,
    });
  });
  afterEach(() => operations.close());

  const send = async (configuration: object = {}, more: Partial<typeof ctx> = {}): Promise<string> => {
    const request = { message, configuration: { returnImmediately: true, ...configuration } };
    const answer = await operations.handler.sendMessage({ ...ctx, ...more }, request);
    return (JSON.parse(answer) as { task: Task }).task.id;
  };
  const create = async (config: { taskId: string; url?: string; id?: string; token?: string }, more: Partial<typeof ctx> = {}) =>
    JSON.parse(await operations.handler.createTaskPushNotificationConfig({ ...ctx, ...more }, { url: URL, ...config }));
  const list = async (request: { taskId: string; pageSize?: number; pageToken?: string }) =>
    JSON.parse(await operations.handler.listTaskPushNotificationConfigs(ctx, request)) as ListTaskPushNotificationConfigsResponse;
  const rows = () => [...operations.database.pushConfigs.values()];

  it('one that is made has an id of its own unless it names one, and is answered without its secrets', async () => {
    const taskId = await send();
    const made = await create({ taskId, token: 'secret' });
    expect(made).toEqual({ taskId, id: expect.stringMatching(/^[0-9a-f-]{36}$/), url: URL });
    expect((await create({ taskId })).id).not.toBe(made.id);
    expect(await create({ taskId, id: 'mine' })).toEqual({ taskId, id: 'mine', url: URL });
    expect(JSON.parse(await operations.handler.getTaskPushNotificationConfig(ctx, { taskId, id: made.id }))).toEqual(made);
    expect(rows().map(({ receiver }) => receiver)).toEqual(Array(3).fill('https://hooks.example'));
  });

  it('the dispatchers are told when something is owed at once', async () => {
    const taskId = await send();
    await create({ taskId });
    expect(hints).toEqual([]);
    await operations.handler.cancelTask(ctx, { id: taskId });
    await create({ taskId, id: 'late' });
    await new Promise((resolve) => setImmediate(resolve));
    expect(hints).toContain(taskId);
  });

  it('one that comes with a message has its id, or that of its task, so that a conversation has one', async () => {
    const config = { taskPushNotificationConfig: { url: URL, taskId: 'whatever', token: 'x' } };
    const taskId = await send(config);
    expect(await list({ taskId })).toEqual({ configs: [{ taskId, id: taskId, url: URL }], nextPageToken: '' });
    await operations.handler.sendMessage(ctx, {
      message: { ...message, taskId },
      configuration: { returnImmediately: true, ...config },
    });
    expect(rows()).toHaveLength(1);
    expect(box.open(taskId, taskId, rows()[0]?.secrets as Uint8Array)).toEqual({ token: 'x' });
  });

  it('one that comes with a message is in the names of its fields what the request calls them', async () => {
    const forbidden = send({ taskPushNotificationConfig: { url: 'https://forbidden' } });
    await expect(forbidden).rejects.toMatchObject({
      fieldViolations: [{ field: 'configuration.taskPushNotificationConfig.url', description: 'it is forbidden' }],
    });
    expect(operations.database.tasks.size).toBe(0);
    expect(operations.readers.size).toBe(0);
  });

  it('every event is asked for with the extension, of which no agent is told', async () => {
    const extensions = [EVERY_EVENT_EXTENSION, 'urn:other'];
    const taskId = await send({ taskPushNotificationConfig: { url: URL } }, { extensions });
    await create({ taskId, id: 'plain' });
    expect(rows().map(({ everyEvent }) => everyEvent)).toEqual([true, false]);
    expect(operations.database.tasks.get(taskId)?.turns[0]?.extensions).toEqual(['urn:other']);
  });

  it('the version of the client is that of what is delivered', async () => {
    const taskId = await send();
    await create({ taskId }, { protocolVersion: '0.3' });
    await create({ taskId, id: 'one' });
    expect(rows().map(({ protocolVersion }) => protocolVersion)).toEqual(['0.3', '1.0']);
  });

  it('are listed by id, whole or in pages', async () => {
    const taskId = await send();
    for (const id of ['b', 'a', 'c']) await create({ taskId, id });
    expect((await list({ taskId })).configs?.map(({ id }) => id)).toEqual(['a', 'b', 'c']);
    const first = await list({ taskId, pageSize: 2 });
    expect(first.configs?.map(({ id }) => id)).toEqual(['a', 'b']);
    const pageToken = first.nextPageToken as string;
    expect(await list({ taskId, pageSize: 2, pageToken })).toMatchObject({ configs: [{ id: 'c' }], nextPageToken: '' });
    const other = await send();
    await expect(list({ taskId: other, pageToken })).rejects.toThrow(InvalidParamsError);
    await expect(list({ taskId, pageToken: 'x' })).rejects.toThrow(InvalidParamsError);
  });

  it('are refused beyond the limit, alone and with a message', async () => {
    const taskId = await send();
    for (const id of ['a', 'b', 'c']) await create({ taskId, id });
    await expect(create({ taskId, id: 'd' })).rejects.toMatchObject({
      fieldViolations: [{ description: expect.stringContaining('MAX_PUSH_CONFIGS') }],
    });
    const another = operations.handler.sendMessage(ctx, {
      message: { ...message, taskId },
      configuration: { returnImmediately: true, taskPushNotificationConfig: { url: URL } },
    });
    await expect(another).rejects.toMatchObject({
      fieldViolations: [{ field: 'configuration.taskPushNotificationConfig' }],
    });
    await create({ taskId, id: 'a' });
  });

  it('a deletion is one however often; a task that is not there has nothing to delete', async () => {
    const taskId = await send();
    const { id } = await create({ taskId });
    const name = { taskId, id };
    for (const _ of [1, 2]) expect(await operations.handler.deleteTaskPushNotificationConfig(ctx, name)).toBe('{}');
    await expect(operations.handler.getTaskPushNotificationConfig(ctx, name)).rejects.toThrow(TaskNotFoundError);
    const missing = { taskId: 'nothing', id };
    await expect(operations.handler.deleteTaskPushNotificationConfig(ctx, missing)).rejects.toThrow(TaskNotFoundError);
    await expect(list(missing)).rejects.toThrow(TaskNotFoundError);
    await expect(create(missing)).rejects.toThrow(TaskNotFoundError);
  });
});

it('push notification configurations are not supported where there is nothing to keep them with', async () => {
  const { handler, close } = await operationsWith();
  const error = { name: 'PushNotificationNotSupportedError' };
  await expect(handler.createTaskPushNotificationConfig(ctx, { taskId: 't', url: URL })).rejects.toMatchObject(error);
  await expect(handler.getTaskPushNotificationConfig(ctx, { taskId: 't', id: 'c' })).rejects.toMatchObject(error);
  await expect(handler.listTaskPushNotificationConfigs(ctx, { taskId: 't' })).rejects.toMatchObject(error);
  await expect(handler.deleteTaskPushNotificationConfig(ctx, { taskId: 't', id: 'c' })).rejects.toMatchObject(error);
  await close();
});
