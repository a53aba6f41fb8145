import type { AgentEvent, Message, Task } from 'chorus/agents';
import { eventsOf } from 'chorus/agents/testing';
import approval from './approval.js';
import countdown from './countdown.js';
import echo from './echo.js';
import research from './research.js';
import tck from './tck.js';

const ask = (text: string, more: Partial<Message> = {}): Message => ({
  messageId: 'm-1',
  role: 'ROLE_USER',
  parts: [{ text }],
  ...more,
});

const taskOf = (message: Message, more: Partial<Task> = {}): Task => ({
  id: 't-1',
  contextId: 'c-1',
  status: { state: 'TASK_STATE_SUBMITTED' },
  history: [message],
  ...more,
});

const stateOf = (event: AgentEvent | undefined): string | undefined =>
  event && 'statusUpdate' in event ? event.statusUpdate.state : undefined;

const texts = (events: readonly AgentEvent[]): string =>
  events
    .flatMap((event) => ('artifactUpdate' in event ? event.artifactUpdate.artifact.parts.map(({ text }) => text) : []))
    .join('');

describe('echo', () => {
  it('completes with what it was told', async () => {
    expect(await eventsOf(echo, ask('hello'))).toEqual([
      { statusUpdate: { state: 'TASK_STATE_COMPLETED', message: { parts: [{ text: 'echo: hello' }] } } },
    ]);
  });
});

describe('countdown', () => {
  it.each([
    ['the text', ask('from 3 every 0ms')],
    ['a data part', ask('', { parts: [{ data: { from: 3, everyMs: 0 } }] })],
    ['metadata', ask('go', { metadata: { from: 3, everyMs: 0 } })],
  ])('is told from what and how fast by %s', async (_, message) => {
    const events = await eventsOf(countdown, message);
    expect(texts(events)).toBe('3 2 1 0 ');
    expect(stateOf(events.at(-1))).toBe('TASK_STATE_COMPLETED');
  });

  it.each([1, 2, 3, 4])('goes on after %i recorded numbers without a doubled or a missing one', async (done) => {
    const message = ask('from 3 every 0ms');
    const recorded = ['3 ', '2 ', '1 ', '0 '].slice(0, done).map((text) => ({ text }));
    const task = taskOf(message, { artifacts: [{ artifactId: 'countdown-1', parts: recorded }] });
    const events = await eventsOf(countdown, message, { task, attempt: 2 });
    expect(recorded.map(({ text }) => text).join('') + texts(events)).toBe('3 2 1 0 ');
  });

  it('counts anew in another turn', async () => {
    const message = ask('from 1 every 0ms');
    const task = taskOf(message, { artifacts: [{ artifactId: 'countdown-1', parts: [{ text: '1 ' }, { text: '0 ' }] }] });
    expect(texts(await eventsOf(countdown, message, { task, turn: 2 }))).toBe('1 0 ');
  });

  it('does not count at once what it is to count too slowly for a timer', async () => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(new Error('canceled')), 50);
    const counting = eventsOf(countdown, ask('from 3 every 9999999999s'), { signal: controller.signal });
    await expect(counting).rejects.toThrow('canceled');
  });

  it('stops when it is aborted', async () => {
    const signal = AbortSignal.abort(new Error('canceled'));
    await expect(eventsOf(countdown, ask('from 10 every 1s'), { signal })).rejects.toThrow('canceled');
  });
});

describe('approval', () => {
  const request = ask('delete the backups');
  const answered = (text: string): Promise<AgentEvent[]> =>
    eventsOf(approval, ask(text, { messageId: 'm-2' }), { turn: 2, task: taskOf(request, { history: [request] }) });

  it('asks first', async () => {
    expect(stateOf((await eventsOf(approval, request)).at(-1))).toBe('TASK_STATE_INPUT_REQUIRED');
  });

  it.each(['yes', 'Yes, go', ' OK. ', 'approved!', 'go ahead', 'yes, please'])('does what was asked after %j', async (answer) => {
    const events = await answered(answer);
    expect(texts(events)).toBe('Done: delete the backups');
    expect(stateOf(events.at(-1))).toBe('TASK_STATE_COMPLETED');
  });

  it.each(['no', 'No!', 'stop', 'no, stop; do not approve', 'don’t', 'do not go', 'never'])(
    'does nothing after %j',
    async (answer) => {
      expect((await answered(answer)).map(stateOf)).toEqual(['TASK_STATE_REJECTED']);
    },
  );

  it.each([
    '',
    'perhaps',
    'yes, but not today',
    'ok?',
    'not ok',
    'yes and no',
    'I would not go',
    'nothing',
    'going',
    'approve nothing',
  ])('asks again after %j', async (answer) => {
    expect((await answered(answer)).map(stateOf)).toEqual(['TASK_STATE_INPUT_REQUIRED']);
  });
});

describe('research', () => {
  it('tells its steps, and leaves two artifacts', async () => {
    const events = await eventsOf(research, ask('tides'));
    expect(events.map(stateOf).filter((state) => state === 'TASK_STATE_WORKING').length).toBeGreaterThan(2);
    const ids = events.flatMap((event) => ('artifactUpdate' in event ? [event.artifactUpdate.artifact.artifactId] : []));
    expect([...new Set(ids)]).toEqual(['findings', 'report']);
    expect(texts(events)).toContain('Report on tides');
    expect(stateOf(events.at(-1))).toBe('TASK_STATE_COMPLETED');
  });
});

describe('tck', () => {
  /** The events of a scenario in short: the state with what is said, an artifact's parts with how they are added. */
  const told = (events: readonly AgentEvent[]): unknown[] =>
    events.map((event) => {
      if ('artifactUpdate' in event) {
        const { artifact, append, lastChunk } = event.artifactUpdate;
        return {
          artifact: artifact.artifactId,
          parts: artifact.parts,
          ...(append ? { append } : {}),
          ...(lastChunk ? { lastChunk } : {}),
        };
      }
      if ('message' in event) return { message: event.message.parts };
      if ('statusUpdate' in event)
        return [event.statusUpdate.state, ...(event.statusUpdate.message?.parts ?? []).map(({ text }) => text)];
      return event;
    });
  const whole = (...parts: object[]): object => ({ artifact: 'artifact-1', parts, lastChunk: true });
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  const FILE = { filename: 'output.txt', mediaType: 'text/plain' };
  const WORKING = ['TASK_STATE_WORKING'];
  const COMPLETED = ['TASK_STATE_COMPLETED'];
  const ASKING = ['TASK_STATE_INPUT_REQUIRED', 'More input is needed'];

  it.each([
    ['tck-complete-task-1', [['TASK_STATE_COMPLETED', 'Hello from TCK']]],
    ['tck-artifact-text-1', [whole({ text: 'Generated text content' }), COMPLETED]],
    ['tck-artifact-file-1', [whole({ raw: base64('Generated file content'), ...FILE }), COMPLETED]],
    ['tck-artifact-file-url-1', [whole({ url: 'https://example.com/output.txt', ...FILE }), COMPLETED]],
    ['tck-artifact-data-1', [whole({ data: { key: 'value', count: 42 } }), COMPLETED]],
    ['tck-message-response-1', [{ message: [{ text: 'Direct message response' }] }]],
    ['tck-input-required-1', [ASKING]],
    ['tck-reject-task-1', [['TASK_STATE_REJECTED', 'rejected']]],
    ['tck-stream-001-x', [WORKING, whole({ text: 'Stream hello from TCK' }), COMPLETED]],
    ['tck-stream-002-x', [COMPLETED]],
    ['tck-stream-003-x', [WORKING, whole({ text: 'Stream task lifecycle' }), COMPLETED]],
    ['tck-stream-ordering-001-x', [WORKING, whole({ text: 'Ordered output' }), COMPLETED]],
    ['tck-stream-artifact-text-1', [WORKING, whole({ text: 'Streamed text content' }), COMPLETED]],
    ['tck-stream-artifact-file-1', [WORKING, whole({ raw: base64('Streamed file content'), ...FILE }), COMPLETED]],
    [
      'tck-stream-artifact-chunked-1',
      [
        WORKING,
        { artifact: 'artifact-1', parts: [{ text: 'chunk-1 ' }], append: true },
        { artifact: 'artifact-1', parts: [{ text: 'chunk-2' }], append: true, lastChunk: true },
        COMPLETED,
      ],
    ],
    ['anything-else', [['TASK_STATE_COMPLETED', 'Done']]],
  ])('answers %s', async (messageId, expected) => {
    expect(told(await eventsOf(tck, ask('', { messageId })))).toEqual(expected);
  });

  it('goes on asking for input in a follow-up', async () => {
    const first = ask('', { messageId: 'tck-input-required-1' });
    const followUp = ask('', { messageId: 'm-2' });
    const events = await eventsOf(tck, followUp, { turn: 2, task: taskOf(first, { history: [first, followUp] }) });
    expect(told(events)).toEqual([ASKING]);
  });
});
