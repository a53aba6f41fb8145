import type { Task } from '#protocol';
import { FRAME_LIMIT_BYTES } from '../task/fit-frame.js';
import type { TaskEvent } from '../task/task-event.js';
import { notificationContent, notificationId } from './notification-content.js';

const eventOf = (payload: object, kind: TaskEvent['kind'] = 'status'): TaskEvent => ({
  ...{ taskId: 't', sequence: 4, kind, state: 'TASK_STATE_WORKING', turn: 1, endsTurn: false, payload: JSON.stringify(payload) },
});
const taskWith = (text: string): Task => ({
  id: 't',
  contextId: 'c',
  status: { state: 'TASK_STATE_WORKING' },
  artifacts: [{ artifactId: 'a', parts: [{ text }] }],
});
const replayOf = (task: Task | undefined) => ({ at: async () => task });
const chunk = {
  artifactUpdate: { taskId: 't', contextId: 'c', artifact: { artifactId: 'a', parts: [{ text: '2' }] }, append: true },
};

describe('the body of a notification', () => {
  it('is the event as it was recorded, byte for byte', async () => {
    const payload = { statusUpdate: { taskId: 't', contextId: 'c', status: { state: 'TASK_STATE_WORKING' } } };
    expect(await notificationContent({ event: eventOf(payload), shows: 'event' }, '1.0', replayOf(undefined))).toEqual({
      contentType: 'application/a2a+json',
      body: JSON.stringify(payload),
    });
  });

  it('of an artifact in chunks is the whole of it, as the last chunk', async () => {
    const content = await notificationContent(
      { event: eventOf(chunk, 'artifact'), shows: 'artifact' },
      '1.0',
      replayOf(taskWith('12')),
    );
    expect(JSON.parse(content?.body ?? '')).toEqual({
      artifactUpdate: { taskId: 't', contextId: 'c', artifact: { artifactId: 'a', parts: [{ text: '12' }] }, lastChunk: true },
    });
  });

  it('for 0.3 is the task in its form', async () => {
    const content = await notificationContent({ event: eventOf(chunk), shows: 'event' }, '0.3', replayOf(taskWith('12')));
    expect(content?.contentType).toBe('application/json');
    expect(JSON.parse(content?.body ?? '')).toEqual({
      ...{ kind: 'task', id: 't', contextId: 'c', status: { state: 'working' } },
      artifacts: [{ artifactId: 'a', parts: [{ kind: 'text', text: '12' }] }],
    });
  });

  it('never is larger than official clients can read: the task tells of what is left out', async () => {
    const large = 'é'.repeat(FRAME_LIMIT_BYTES / 2);
    const whole = await notificationContent(
      { event: eventOf(chunk, 'artifact'), shows: 'artifact' },
      '1.0',
      replayOf(taskWith(large)),
    );
    const { task } = JSON.parse(whole?.body ?? '') as { task: Task };
    expect([task.artifacts, task.metadata]).toEqual([undefined, { 'chorus/omittedArtifacts': ['a'] }]);
    const alone = { statusUpdate: { text: large } };
    const event = await notificationContent({ event: eventOf(alone), shows: 'event' }, '1.0', replayOf(taskWith('1')));
    expect(JSON.parse(event?.body ?? '')).toEqual({ task: taskWith('1') });
    const old = await notificationContent({ event: eventOf(alone), shows: 'event' }, '0.3', replayOf(taskWith(large)));
    expect(Buffer.byteLength(old?.body ?? '')).toBeLessThan(FRAME_LIMIT_BYTES);
  });

  it('there is none of a task that is gone', async () => {
    for (const version of ['1.0', '0.3'] as const) {
      expect(
        await notificationContent({ event: eventOf(chunk), shows: 'artifact' }, version, replayOf(undefined)),
      ).toBeUndefined();
    }
  });
});

describe('the id of a notification', () => {
  it.each(['config-1', '01a24339-0e0c-76ea-b83e-5de60eef3490'])('shows a harmless id: %s', (id) => {
    expect(notificationId('t', id, 3)).toBe(`t.${id}.3`);
  });

  it.each(['', 'a\r\nX-Evil: 1', 'ü', 'x'.repeat(300), 'a b'])('is safe in a header whatever the id: %j', (id) => {
    expect(notificationId('t', id, 3)).toMatch(/^t\.[A-Za-z0-9_-]{43}\.3$/);
    expect(notificationId('t', id, 3)).not.toBe(notificationId('t', `${id}!`, 3));
  });
});
