import {
  appendTo,
  artifact,
  ask,
  completed,
  failed,
  lastChunk,
  message,
  needAuth,
  reject,
  taskMetadata,
  working,
} from './events.js';
import { data, text } from './parts.js';

describe('status events', () => {
  it.each([
    [working, 'TASK_STATE_WORKING'],
    [completed, 'TASK_STATE_COMPLETED'],
    [failed, 'TASK_STATE_FAILED'],
    [reject, 'TASK_STATE_REJECTED'],
    [ask, 'TASK_STATE_INPUT_REQUIRED'],
    [needAuth, 'TASK_STATE_AUTH_REQUIRED'],
  ])('%p says its state with a text', (event, state) => {
    expect(event('said')).toEqual({ statusUpdate: { state, message: { parts: [{ text: 'said' }] } } });
  });

  it('have no message when nothing is said', () => {
    expect(completed()).toEqual({ statusUpdate: { state: 'TASK_STATE_COMPLETED' } });
  });

  it('carry a whole message, and metadata of the event', () => {
    const whole = { parts: [data([1])], metadata: { of: 'message' } };
    expect(completed(whole, { of: 'event' })).toEqual({
      statusUpdate: { state: 'TASK_STATE_COMPLETED', message: whole, metadata: { of: 'event' } },
    });
  });
});

describe('artifacts', () => {
  it('are whole: one chunk that replaces and is the last', () => {
    expect(artifact('answer', text('hi'))).toEqual({
      artifactUpdate: { artifact: { artifactId: 'answer', parts: [{ text: 'hi' }] }, lastChunk: true },
    });
  });

  it('may have a name and metadata', () => {
    expect(artifact({ id: 'a', name: 'Answer', metadata: { x: 1 } }, text('1'), text('2'))).toMatchObject({
      artifactUpdate: {
        artifact: { artifactId: 'a', name: 'Answer', metadata: { x: 1 }, parts: [{ text: '1' }, { text: '2' }] },
      },
    });
  });

  it('come in chunks that are added, the last of which says so', () => {
    expect(appendTo('a', text('1'))).toEqual({
      artifactUpdate: { artifact: { artifactId: 'a', parts: [{ text: '1' }] }, append: true },
    });
    expect(lastChunk('a', text('2'))).toMatchObject({ artifactUpdate: { append: true, lastChunk: true } });
  });
});

it('a direct answer and task metadata are events of their own', () => {
  expect(message('hi')).toEqual({ message: { parts: [{ text: 'hi' }] } });
  expect(taskMetadata({ step: 1 })).toEqual({ taskMetadata: { step: 1 } });
});
