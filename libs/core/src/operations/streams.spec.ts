import type { StreamResponse } from '#protocol';
import { chunk, status } from '../execution/controlled-agent.spec-support.js';
import type { Frame, FrameStream } from '../request-handler.js';
import { ctx, message, operationsWith, type Operations } from './operations-fixture.spec-support.js';

const UNKNOWN = '01900000-0000-7000-8000-000000000009';

async function framesOf(stream: FrameStream): Promise<StreamResponse[]> {
  const frames: Frame[] = [];
  for await (const batch of stream) frames.push(...batch);
  return frames.map(({ payload }) => JSON.parse(payload) as StreamResponse);
}

describe('the stream of an agent that may answer with a Message', () => {
  let operations: Operations;
  beforeEach(async () => {
    operations = await operationsWith({ answers: 'either' });
  });
  afterEach(() => operations.close());

  it('is that Message, which names no task that nobody can read, but the context', async () => {
    const stream = await operations.handler.sendStreamingMessage(ctx, { message: { ...message, contextId: 'c' } });
    await operations.run({ message: { parts: [{ text: 'hello' }] } });
    const [frame, ...more] = await framesOf(stream);
    expect(more).toEqual([]);
    expect(frame?.message).toMatchObject({ role: 'ROLE_AGENT', contextId: 'c', parts: [{ text: 'hello' }] });
    expect(frame?.message).not.toHaveProperty('taskId');
  });

  it('is the Task, and the Message its last status, once there is a task', async () => {
    const stream = await operations.handler.sendStreamingMessage(ctx, { message });
    await operations.run(status('WORKING'), { message: { parts: [{ text: 'hello' }] } });
    const frames = await framesOf(stream);
    expect(frames[0]?.task?.id).toBe(operations.lastTask());
    expect(frames.at(-1)?.statusUpdate?.status).toMatchObject({
      state: 'TASK_STATE_COMPLETED',
      message: { taskId: operations.lastTask(), parts: [{ text: 'hello' }] },
    });
  });

  it('that is cut short before its first frame says so', async () => {
    const frames = framesOf(await operations.handler.sendStreamingMessage(ctx, { message }));
    await operations.readers.close();
    await expect(frames).rejects.toMatchObject({ name: 'UnavailableError', info: { taskId: operations.lastTask() } });
  });

  it('ends without a word when its client closed it', async () => {
    const stream = await operations.handler.sendStreamingMessage(ctx, { message });
    const frames = framesOf(stream);
    stream.close();
    expect(await frames).toEqual([]);
    expect(operations.readers.size).toBe(0);
  });
});

describe('a stream', () => {
  let operations: Operations;
  let channels: string[];
  beforeEach(async () => {
    operations = await operationsWith();
    channels = [];
    const subscribe = operations.bus.subscribe.bind(operations.bus);
    operations.bus.subscribe = (channel, listener) => {
      channels.push(channel);
      return subscribe(channel, listener);
    };
  });
  afterEach(() => operations.close());

  const start = async (): Promise<string> => {
    await operations.handler.sendMessage(ctx, { message, configuration: { returnImmediately: true } });
    return operations.lastTask();
  };

  it.each([
    ['SubscribeToTask', 'not an id', (id: string) => operations.handler.subscribeToTask(ctx, { id })],
    ['SubscribeToTask', UNKNOWN, (id: string) => operations.handler.subscribeToTask(ctx, { id })],
    ['CancelTask', 'not an id', (id: string) => operations.handler.cancelTask(ctx, { id })],
    ['CancelTask', UNKNOWN, (id: string) => operations.handler.cancelTask(ctx, { id })],
    ['SendMessage', 'not an id', (id: string) => operations.handler.sendMessage(ctx, { message: { ...message, taskId: id } })],
  ])('of %s on "%s", which names no task, costs the bus nothing', async (_, id, call) => {
    await expect(call(id)).rejects.toMatchObject({ name: 'TaskNotFoundError' });
    expect(channels).toEqual([]);
    expect(operations.readers.size).toBe(0);
  });

  it('resumed at the end of a task that has ended is that task, and costs the bus nothing', async () => {
    const taskId = await start();
    await operations.run(status('COMPLETED'));
    const frames = await framesOf(await operations.handler.subscribeToTask(ctx, { id: taskId }, 2));
    expect(frames).toEqual([{ task: await operations.read(taskId) }]);
    expect(channels).toEqual([]);
  });

  it.each([
    ['SendStreamingMessage', () => operations.handler.sendStreamingMessage(ctx, { message })],
    ['SubscribeToTask', async () => operations.handler.subscribeToTask(ctx, { id: await start() })],
  ])('of %s brings a follow-up as soon as it is accepted', async (_, open) => {
    const stream = await open();
    const taskId = operations.lastTask();
    const batches = stream[Symbol.asyncIterator]();
    await batches.next();
    // A new subscription looks into the log once. After that no reader here compares itself with the store: it was told.
    for (const sequence of [2, 3]) {
      await operations.handler.sendMessage(ctx, { message: { ...message, taskId }, configuration: { returnImmediately: true } });
      expect((await batches.next()).value).toMatchObject([{ sequence }]);
    }
    stream.close();
  });

  it('stays open over AUTH_REQUIRED and ends at INPUT_REQUIRED of its message’s turn', async () => {
    const taskId = await start();
    const stream = await operations.handler.sendStreamingMessage(ctx, { message: { ...message, taskId } });
    const frames = framesOf(stream);
    await operations.run(status('INPUT_REQUIRED', 'one'));
    await operations.run(status('AUTH_REQUIRED', 'two'));
    await operations.handler.sendMessage(ctx, { message: { ...message, taskId }, configuration: { returnImmediately: true } });
    await operations.run(chunk('a', '1'), status('INPUT_REQUIRED', 'three'));
    const states = (await frames).flatMap(({ statusUpdate }) => statusUpdate?.status.message?.parts[0]?.text ?? []);
    expect(states).toEqual(['one', 'two', 'three']);
  });
});
