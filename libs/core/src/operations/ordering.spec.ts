import type { StreamResponse } from '#protocol';
import { status } from '../execution/controlled-agent.spec-support.js';
import type { Frame, FrameStream } from '../request-handler.js';
import { ctx, message, operationsWith, type Operations } from './operations-fixture.spec-support.js';

describe('the three orders', () => {
  let operations: Operations;
  let handler: Operations['handler'];
  let database: Operations['database'];
  beforeEach(async () => {
    operations = await operationsWith();
    ({ handler, database } = operations);
  });
  afterEach(() => operations.close());

  /** A worker as fast as can be: it is done, and its signals have arrived, before the call under way goes on. */
  async function complete(): Promise<void> {
    await operations.run(status('COMPLETED'));
    await new Promise((resolve) => setImmediate(resolve));
  }

  const onlyTask = (): string => operations.lastTask();

  async function framesOf(stream: FrameStream): Promise<StreamResponse[]> {
    const frames: Frame[] = [];
    for await (const batch of stream) frames.push(...batch);
    return frames.map(({ payload }) => JSON.parse(payload) as StreamResponse);
  }

  it('subscribe before enqueue: a task that ends within its accept is seen to end', async () => {
    database.gate = async (call, phase) => {
      if (call !== 'acceptNew' || phase !== 'answer') return;
      database.gate = () => undefined;
      await complete();
    };
    const answer = JSON.parse(await handler.sendMessage(ctx, { message })) as { task: { status: { state: string } } };
    expect(answer.task.status.state).toBe('TASK_STATE_COMPLETED');
  });

  it('subscribe before enqueue: so is the turn that a follow-up starts', async () => {
    await handler.sendMessage(ctx, { message, configuration: { returnImmediately: true } });
    const taskId = onlyTask();
    const { origin } = database.tasks.get(taskId) as unknown as { origin: string };
    expect(origin).toBe('api-1');
    Object.assign(database.tasks.get(taskId) as object, { origin: 'another-replica' });
    database.gate = async (call, phase) => {
      if (call !== 'acceptFollowUp' || phase !== 'answer') return;
      database.gate = () => undefined;
      await complete();
      await complete();
    };
    const answer = JSON.parse(await handler.sendMessage(ctx, { message: { ...message, taskId } })) as {
      task: { status: { state: string } };
    };
    expect(answer.task.status.state).toBe('TASK_STATE_COMPLETED');
  });

  it('commit before hint: when the queue hears of a task, the store has it', async () => {
    await handler.sendMessage(ctx, { message, configuration: { returnImmediately: true } });
    expect(operations.queue.enqueued.map(({ taskId }) => taskId)).toEqual([onlyTask()]);
    database.available = false;
    await expect(handler.sendMessage(ctx, { message })).rejects.toMatchObject({ name: 'UnavailableError' });
    expect(operations.queue.enqueued).toHaveLength(1);
  });

  it('replay before live: what happens while a subscriber reads the task is delivered after it', async () => {
    await handler.sendMessage(ctx, { message, configuration: { returnImmediately: true } });
    const taskId = onlyTask();
    Object.assign(database.tasks.get(taskId) as object, { origin: 'another-replica' });
    database.gate = async (call, phase) => {
      if (call !== 'get' || phase !== 'answer') return;
      database.gate = () => undefined;
      await complete();
    };
    const frames = await framesOf(await handler.subscribeToTask(ctx, { id: taskId }));
    expect(frames.map(({ task, statusUpdate }) => (task ?? statusUpdate)?.status.state)).toEqual([
      'TASK_STATE_SUBMITTED',
      'TASK_STATE_COMPLETED',
    ]);
  });

  it('replay before live: a resumed stream serves the log first, whatever arrives live', async () => {
    await handler.sendMessage(ctx, { message, configuration: { returnImmediately: true } });
    const taskId = onlyTask();
    await handler.sendMessage(ctx, { message: { ...message, taskId }, configuration: { returnImmediately: true } });
    const stream = await handler.subscribeToTask(ctx, { id: taskId }, 1);
    await complete();
    await complete();
    const sequences: number[] = [];
    for await (const batch of stream) sequences.push(...batch.map(({ sequence }) => sequence));
    expect(sequences).toEqual([1, 2, 3, 4]);
  });
});
