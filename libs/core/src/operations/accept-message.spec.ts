import type { SendMessageRequest, Task } from '#protocol';
import { status } from '../execution/controlled-agent.spec-support.js';
import { ctx, message, operationsWith, type Operations } from './operations-fixture.spec-support.js';

const CARD = {
  name: 'A',
  description: 'A',
  version: '1',
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['text/plain'],
  skills: [
    { id: 's', name: 's', description: 's', tags: [], inputModes: ['image/*'], outputModes: ['application/json'] },
    { id: 't', name: 't', description: 't', tags: [] },
  ],
};

describe('a message', () => {
  let operations: Operations;
  beforeEach(async () => {
    operations = await operationsWith({ card: CARD });
  });
  afterEach(() => operations.close());

  const send = (request: Partial<SendMessageRequest>, more: Partial<typeof ctx> = {}): Promise<string> =>
    operations.handler.sendMessage(
      { ...ctx, ...more },
      {
        message,
        ...request,
        configuration: { returnImmediately: true, ...request.configuration },
      },
    );
  const sendForId = async (request: Partial<SendMessageRequest>, more: Partial<typeof ctx> = {}): Promise<string> =>
    (JSON.parse(await send(request, more)) as { task: Task }).task.id;

  describe('is refused before anything is stored', () => {
    const refused = async (request: Partial<SendMessageRequest>, error: object): Promise<void> => {
      await expect(send(request)).rejects.toMatchObject(error);
      await expect(operations.handler.sendStreamingMessage(ctx, { message, ...request })).rejects.toMatchObject(error);
      expect(operations.calls).toEqual([]);
      expect(operations.queue.enqueued).toEqual([]);
      expect(operations.readers.size).toBe(0);
    };

    it('with a push notification config', () =>
      refused(
        { configuration: { taskPushNotificationConfig: { url: 'https://example.com' } } },
        { name: 'PushNotificationNotSupportedError' },
      ));

    it.each([
      ['data', { data: { a: 1 } }],
      ['text of another type', { text: '<p>', mediaType: 'text/html' }],
      ['a file of another type', { raw: 'aGk=', mediaType: 'application/pdf' }],
      ['an audio file, where a skill takes images', { url: 'https://example.com/a', mediaType: 'audio/ogg' }],
    ])('with %s, which the agent does not take', (_, part) =>
      refused(
        { message: { ...message, parts: [{ text: 'fine' }, part] } },
        { name: 'ContentTypeNotSupportedError', fieldViolations: [{ field: 'message.parts[1]' }] },
      ),
    );

    it.each([[['image/png']], [['image/*', 'text/html']]])(
      'when the client accepts only %j, which the agent does not make',
      (modes) => refused({ configuration: { acceptedOutputModes: modes } }, { name: 'ContentTypeNotSupportedError' }),
    );
  });

  it.each([
    ['the agent takes', { text: 'x' }],
    ['the agent takes, with parameters', { text: 'x', mediaType: 'Text/Plain; charset=utf-8' }],
    ['one of its skills takes by a wildcard', { raw: 'aGk=', mediaType: 'image/png' }],
    ['states no type', { raw: 'aGk=' }],
  ])('is taken with what %s', async (_, part) => {
    await send({ message: { ...message, parts: [part] } });
    expect(operations.database.tasks.size).toBe(1);
  });

  it.each([[[]], [['text/plain', 'image/png']], [['application/json']], [['text/*']], [['*/*']]])(
    'is taken when the client accepts %j',
    async (acceptedOutputModes) => {
      await send({ configuration: { acceptedOutputModes } });
      expect(operations.database.tasks.size).toBe(1);
    },
  );

  it('reaches the agent without the references that its client may not see, in one look', async () => {
    const own = await sendForId({});
    const other = await sendForId({}, { tenant: 'other' });
    const second = await sendForId({});
    operations.calls.length = 0;
    const missing = '01900000-0000-7000-8000-000000000009';
    await send({ message: { ...message, referenceTaskIds: [second, other, missing, 'no id', own, second] } });
    expect(operations.calls).toEqual(['heads', 'acceptNew']);
    await operations.run(status('INPUT_REQUIRED'));
    expect(operations.contexts.at(-1)?.message.referenceTaskIds).toEqual([second, own, second]);
    await send({ message: { ...message, taskId: operations.lastTask(), referenceTaskIds: [missing] } });
    await operations.run(status('COMPLETED'));
    expect(operations.contexts.at(-1)?.message).toEqual({
      ...message,
      taskId: operations.lastTask(),
      contextId: operations.contexts.at(-1)?.contextId,
    });
  });

  it('costs no look when it has no references', async () => {
    await send({});
    expect(operations.calls).toEqual(['acceptNew']);
  });

  it('is the same request under its idempotency key, whatever has become of its references', async () => {
    const own = await sendForId({});
    const request = { message: { ...message, referenceTaskIds: [own] } };
    const first = await sendForId(request, { idempotencyKey: 'k' });
    operations.database.tasks.delete(own);
    expect(await sendForId(request, { idempotencyKey: 'k' })).toBe(first);
  });

  it('tells the agent, turn by turn, which extensions its client activated', async () => {
    await send({}, { extensions: ['https://example.com/x', 'https://example.com/y'] });
    await operations.run(status('INPUT_REQUIRED'));
    await send({ message: { ...message, taskId: operations.lastTask() } }, { extensions: ['https://example.com/y'] });
    await operations.run(status('INPUT_REQUIRED'));
    await send({ message: { ...message, taskId: operations.lastTask() } });
    await operations.run(status('COMPLETED'));
    expect(operations.contexts.map(({ extensions }) => extensions)).toEqual([
      ['https://example.com/x', 'https://example.com/y'],
      ['https://example.com/y'],
      [],
    ]);
  });
});
