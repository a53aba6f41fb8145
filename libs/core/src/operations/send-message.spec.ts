import type { SendMessageResponse, Task } from '#protocol';
import { chunk, status } from '../execution/controlled-agent.spec-support.js';
import { ctx, message, operationsWith, type Operations } from './operations-fixture.spec-support.js';

describe('a blocking SendMessage', () => {
  let operations: Operations;
  beforeEach(async () => {
    operations = await operationsWith();
  });
  afterEach(() => operations.close());

  const answerOf = async (answer: Promise<string>): Promise<Task> =>
    (JSON.parse(await answer) as SendMessageResponse).task as Task;

  it('answers what GetTask answers, without a read of the store', async () => {
    const { handler, run, accepted, calls, read } = operations;
    const sent = handler.sendMessage(ctx, { message });
    await accepted();
    await run(status('WORKING', 'wait'), chunk('a', '1'), chunk('a', '2', true), status('COMPLETED', 'done'));
    const task = await answerOf(sent);
    expect(calls).not.toContain('get');
    expect(calls).not.toContain('readEvents');
    expect(task).toEqual(await read(task.id));
    expect(task.status.state).toBe('TASK_STATE_COMPLETED');
  });

  it.each([
    ['in the last turn', [[{ taskMetadata: { cost: 3 } }, status('COMPLETED')]]],
    ['before the last event', [[{ taskMetadata: { cost: 3 } }, status('WORKING'), status('COMPLETED')]]],
    ['as the last thing that the agent says', [[status('WORKING'), { taskMetadata: { cost: 3 } }]]],
    ['to nothing', [[{ taskMetadata: {} }, status('COMPLETED')]]],
  ])('answers what GetTask answers when the agent sets metadata %s', async (_, [events]) => {
    const { handler, run, accepted, read } = operations;
    const sent = handler.sendMessage(ctx, { message });
    await accepted();
    await run(...(events ?? []));
    const task = await answerOf(sent);
    expect(task.metadata).toBeDefined();
    expect(task).toEqual(await read(task.id));
  });

  it('has the metadata of an attempt that another worker made', async () => {
    const { handler, run, accepted, read, database, lastTask } = operations;
    const sent = handler.sendMessage(ctx, { message });
    await accepted();
    Object.assign(database.tasks.get(lastTask()) as object, { metadata: '{"by":"another"}' });
    await run(status('COMPLETED'));
    const task = await answerOf(sent);
    expect(task.metadata).toEqual({ by: 'another' });
    expect(task).toEqual(await read(task.id));
  });

  it('answers a follow-up with the whole task', async () => {
    const { handler, run, accepted, read, lastTask } = operations;
    await handler.sendMessage(ctx, { message, configuration: { returnImmediately: true } });
    await run(chunk('a', '1'), status('INPUT_REQUIRED', 'which?'));
    const sent = handler.sendMessage(ctx, { message: { ...message, messageId: 'm2', taskId: lastTask() } });
    await accepted(2);
    await run(chunk('b', '2'), status('COMPLETED', 'done'));
    const task = await answerOf(sent);
    expect(task.history).toHaveLength(4);
    expect(task).toEqual(await read(task.id));
  });

  it('answers a long turn from the store, having held little of it', async () => {
    const { handler, run, accepted, calls, read } = operations;
    const sent = handler.sendMessage(ctx, { message });
    await accepted();
    await run(chunk('a', 'x'.repeat(40_000)), chunk('a', 'y'.repeat(40_000), true), status('COMPLETED'));
    const task = await answerOf(sent);
    expect(calls).toContain('get');
    expect(task).toEqual(await read(task.id));
    expect(task.artifacts?.[0]?.parts).toHaveLength(2);
  });

  describe('whose client goes away', () => {
    const gone = async (sent: Promise<unknown>): Promise<void> => {
      await expect(sent).rejects.toMatchObject({ name: 'UnavailableError' });
      expect(operations.readers.size).toBe(0);
    };

    it('before the call waits for nothing, and its message is accepted', async () => {
      await gone(operations.handler.sendMessage(ctx, { message }, AbortSignal.abort()));
      expect(operations.database.tasks.size).toBe(1);
    });

    it('during the commit waits for nothing', async () => {
      const client = new AbortController();
      operations.database.gate = (call, phase) => {
        if (call === 'acceptNew' && phase === 'answer') client.abort();
      };
      await gone(operations.handler.sendMessage(ctx, { message }, client.signal));
    });

    it('later frees its waiter, and the task goes on', async () => {
      const { handler, accepted, run, read, lastTask } = operations;
      const client = new AbortController();
      const sent = handler.sendMessage(ctx, { message }, client.signal);
      await accepted();
      client.abort();
      await gone(sent);
      await run(status('COMPLETED'));
      expect((await read(lastTask())).status.state).toBe('TASK_STATE_COMPLETED');
    });
  });
});
