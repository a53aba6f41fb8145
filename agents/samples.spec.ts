import type { AgentEvent, ExecutionContext, HostedAgent, Message, Task } from 'chorus/agents';
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

async function eventsOf(agent: HostedAgent, message: Message, more: Partial<ExecutionContext> = {}): Promise<AgentEvent[]> {
  const context: ExecutionContext = {
    taskId: 't-1',
    contextId: 'c-1',
    tenant: '',
    principalId: 'someone',
    agentId: agent.id,
    message,
    task: taskOf(message),
    turn: 1,
    attempt: 1,
    epoch: 1,
    signal: new AbortController().signal,
    ...more,
  };
  const events: AgentEvent[] = [];
  for await (const event of agent.executor.execute(context)) events.push(event);
  return events;
}

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

  it('does what was asked once it may', async () => {
    const events = await answered('Yes, go');
    expect(texts(events)).toBe('Done: delete the backups');
    expect(stateOf(events.at(-1))).toBe('TASK_STATE_COMPLETED');
  });

  it('does nothing when it may not, and asks again when it was not told', async () => {
    expect((await answered('no')).map(stateOf)).toEqual(['TASK_STATE_REJECTED']);
    expect((await answered('perhaps')).map(stateOf)).toEqual(['TASK_STATE_INPUT_REQUIRED']);
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
  const kinds = async (messageId: string): Promise<(string | undefined)[]> =>
    (await eventsOf(tck, ask('', { messageId }))).map((event) => stateOf(event) ?? Object.keys(event)[0]);
  const STREAMED = ['TASK_STATE_WORKING', 'artifactUpdate', 'TASK_STATE_COMPLETED'];

  it.each([
    ['tck-complete-task-1', ['TASK_STATE_COMPLETED']],
    ['tck-artifact-file-url-1', ['artifactUpdate', 'TASK_STATE_COMPLETED']],
    ['tck-message-response-1', ['message']],
    ['tck-input-required-1', ['TASK_STATE_INPUT_REQUIRED']],
    ['tck-reject-task-1', ['TASK_STATE_REJECTED']],
    ['tck-stream-001-x', STREAMED],
    ['tck-stream-002-x', ['TASK_STATE_COMPLETED']],
    ['tck-stream-artifact-chunked-1', ['TASK_STATE_WORKING', 'artifactUpdate', 'artifactUpdate', 'TASK_STATE_COMPLETED']],
    ['anything-else', ['TASK_STATE_COMPLETED']],
  ])('answers %s', async (messageId, expected) => {
    expect(await kinds(messageId)).toEqual(expected);
  });

  it('takes the longest prefix: a file by URL is not a file', async () => {
    const [event] = await eventsOf(tck, ask('', { messageId: 'tck-artifact-file-url-1' }));
    expect(event).toMatchObject({ artifactUpdate: { artifact: { parts: [{ url: 'https://example.com/output.txt' }] } } });
  });

  it('goes on asking for input in a follow-up', async () => {
    const first = ask('', { messageId: 'tck-input-required-1' });
    const followUp = ask('', { messageId: 'm-2' });
    const events = await eventsOf(tck, followUp, { turn: 2, task: taskOf(first, { history: [first, followUp] }) });
    expect(events.map(stateOf)).toEqual(['TASK_STATE_INPUT_REQUIRED']);
  });
});
