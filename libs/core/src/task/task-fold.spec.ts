import type { Artifact, Message, Task, TaskState } from '#protocol';
import { foldEvents, type FoldedEvent } from './task-fold.js';

const message = (messageId: string, role: Message['role'] = 'ROLE_AGENT'): Message => ({
  messageId,
  role,
  parts: [{ text: messageId }],
});

const start: Task = { id: 't', contextId: 'c', status: { state: 'TASK_STATE_SUBMITTED' }, history: [message('m1', 'ROLE_USER')] };

const status = (state: TaskState, said?: Message, endsTurn = false): FoldedEvent => ({
  kind: 'status',
  endsTurn,
  frame: { statusUpdate: { taskId: 't', contextId: 'c', status: { state, ...(said ? { message: said } : {}) } } },
});

const artifact = (artifactId: string, text: string, append = false, more: Partial<Artifact> = {}): FoldedEvent => ({
  kind: 'artifact',
  endsTurn: false,
  frame: { artifactUpdate: { taskId: 't', contextId: 'c', append, artifact: { artifactId, parts: [{ text }], ...more } } },
});

describe('the fold of a task', () => {
  it('keeps progress messages out of the history and the message that ends a turn in it', () => {
    const task = foldEvents(start, [
      status('TASK_STATE_WORKING', message('progress')),
      status('TASK_STATE_COMPLETED', message('answer'), true),
    ]);
    expect(task.history?.map(({ messageId }) => messageId)).toEqual(['m1', 'answer']);
    expect(task.status.state).toBe('TASK_STATE_COMPLETED');
  });

  it('adds an accepted message after the state that it caused', () => {
    const task = foldEvents(start, [
      { ...status('TASK_STATE_SUBMITTED'), kind: 'accepted', message: message('m2', 'ROLE_USER') },
    ]);
    expect(task.history?.map(({ messageId }) => messageId)).toEqual(['m1', 'm2']);
  });

  it.each([
    [
      'a new id adds an artifact',
      [artifact('a', '1'), artifact('b', '2')],
      [
        ['a', '1'],
        ['b', '2'],
      ],
    ],
    ['the same id replaces', [artifact('a', '1'), artifact('a', '2')], [['a', '2']]],
    ['append grows the parts', [artifact('a', '1'), artifact('a', '2', true), artifact('a', '3', true)], [['a', '123']]],
    ['append to nothing sets', [artifact('a', '1', true)], [['a', '1']]],
    ['a replacement starts anew', [artifact('a', '1'), artifact('a', '2', true), artifact('a', '3')], [['a', '3']]],
  ])('%s', (_, events, expected) => {
    const { artifacts } = foldEvents(start, events);
    expect(artifacts?.map(({ artifactId, parts }) => [artifactId, parts.map(({ text }) => text).join('')])).toEqual(expected);
  });

  it('merges the metadata of appended chunks', () => {
    const task = foldEvents(start, [
      artifact('a', '1', false, { metadata: { x: 1 } }),
      artifact('a', '2', true, { metadata: { y: 2 } }),
    ]);
    expect(task.artifacts?.[0]?.metadata).toEqual({ x: 1, y: 2 });
  });

  it('changes neither the task that it was given nor the events', () => {
    const events = [artifact('a', '1'), artifact('a', '2', true)];
    const before = JSON.stringify([start, events]);
    const first = foldEvents(start, events);
    const second = foldEvents(first, [artifact('a', '3', true)]);
    expect(JSON.stringify([start, events])).toBe(before);
    expect(first.artifacts?.[0]?.parts).toHaveLength(2);
    expect(second.artifacts?.[0]?.parts).toHaveLength(3);
  });

  it('equals the fold one by one, however the events are cut', () => {
    const events = [
      artifact('a', '1'),
      status('TASK_STATE_WORKING'),
      artifact('a', '2', true),
      artifact('b', '3'),
      artifact('a', '4', true),
    ];
    const whole = foldEvents(start, events);
    expect(events.reduce((task, event) => foldEvents(task, [event]), start)).toEqual(whole);
    expect(foldEvents(foldEvents(start, events.slice(0, 2)), events.slice(2))).toEqual(whole);
  });
});
