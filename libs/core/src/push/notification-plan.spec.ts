import type { TaskState } from '#protocol';
import type { TaskEvent, TaskEventKind } from '../task/task-event.js';
import { planNotifications } from './notification-plan.js';

/** `S1` SUBMITTED, `W` WORKING, `C!` COMPLETED that ends a turn, `I!` INPUT_REQUIRED, `a` a chunk of artifact a, `a.` its last one. */
function log(...steps: readonly string[]): TaskEvent[] {
  let state: TaskState = 'TASK_STATE_SUBMITTED';
  return steps.map((step, index) => {
    const common = { taskId: 't', sequence: index + 1, turn: 1, endsTurn: step.endsWith('!') };
    if (/^[a-z]/.test(step)) {
      const update = {
        artifact: { artifactId: step[0], parts: [{ text: 'x' }] },
        ...(step.endsWith('.') ? { lastChunk: true } : {}),
      };
      return { ...common, kind: 'artifact' as TaskEventKind, state, payload: JSON.stringify({ artifactUpdate: update }) };
    }
    state = STATES[step[0] as string] as TaskState;
    return { ...common, kind: step[0] === 'S' ? 'accepted' : 'status', state, payload: '{}' };
  });
}

const STATES: Record<string, TaskState> = {
  S: 'TASK_STATE_SUBMITTED',
  W: 'TASK_STATE_WORKING',
  C: 'TASK_STATE_COMPLETED',
  I: 'TASK_STATE_INPUT_REQUIRED',
};

const plan = (events: readonly TaskEvent[], cursor = 0, everyEvent = false) => {
  const { owed, ...rest } = planNotifications(events.slice(Math.max(0, cursor - 1)), cursor, everyEvent);
  return { ...rest, owed: owed.map(({ event, shows }) => `${event.sequence}${shows === 'artifact' ? 'a' : ''}`) };
};

describe('which events a receiver is told of', () => {
  it.each([
    ['changes of state', ['S', 'W', 'C!'], ['1', '2', '3']],
    ['no progress that changes nothing', ['S', 'W', 'W', 'W', 'C!'], ['1', '2', '5']],
    ['an end of a turn in the same state', ['S', 'W', 'W!', 'W', 'C!'], ['1', '2', '3', '5']],
    ['a question and the answer to it', ['S', 'W', 'I!', 'S', 'W', 'C!'], ['1', '2', '3', '4', '5', '6']],
    ['chunks as one artifact, ended by what follows', ['S', 'W', 'a', 'a', 'a', 'C!'], ['1', '2', '5a', '6']],
    ['chunks as one artifact, ended by the last one', ['S', 'W', 'a', 'a.', 'W', 'C!'], ['1', '2', '4a', '6']],
    ['each run of an artifact that comes in several', ['S', 'W', 'a', 'b', 'b', 'a', 'C!'], ['1', '2', '3a', '5a', '6a', '7']],
    ['each of two whole artifacts of one id', ['S', 'W', 'a.', 'a.', 'C!'], ['1', '2', '3a', '4a', '5']],
    ['an artifact that progress interrupts', ['S', 'W', 'a', 'W', 'a', 'C!'], ['1', '2', '3a', '5a', '6']],
  ])('%s', (_, steps, owed) => {
    expect(plan(log(...steps))).toEqual({ owed, passedTo: steps.length, seen: steps.length, finished: true });
  });

  it('every event when asked to', () => {
    expect(plan(log('S', 'W', 'a', 'a', 'W', 'C!'), 1, true).owed).toEqual(['2', '3', '4', '5', '6']);
  });

  it('from any cursor it tells what it tells from the start', () => {
    const events = log('S', 'W', 'W', 'a', 'a', 'b.', 'W', 'I!', 'S', 'W', 'a', 'C!');
    const whole = plan(events).owed;
    for (let cursor = 0; cursor <= events.length; cursor += 1) {
      expect(plan(events, cursor).owed).toEqual(whole.filter((name) => Number.parseInt(name, 10) > cursor));
    }
  });

  it('an artifact that may grow stays owed, and what it has grown by is passed over', () => {
    const events = log('S', 'W', 'a', 'a', 'a', 'C!');
    expect(plan(events.slice(0, 3), 2)).toEqual({ owed: [], passedTo: 2, seen: 3, finished: false });
    expect(plan(events.slice(0, 5), 2)).toEqual({ owed: [], passedTo: 4, seen: 5, finished: false });
    expect(plan(events, 4)).toEqual({ owed: ['5a', '6'], passedTo: 6, seen: 6, finished: true });
  });

  it('whatever pages a log is read in, the same is told', () => {
    const events = log('S', 'W', 'a', 'a', 'b', 'b', 'a.', 'W', 'W!', 'b', 'C!');
    for (let page = 3; page <= events.length; page += 1) {
      const told: string[] = [];
      for (let cursor = 0; cursor < events.length;) {
        const from = Math.max(0, cursor - 1);
        const { owed, passedTo } = plan(events.slice(0, from + page), cursor);
        told.push(...owed);
        expect(passedTo).toBeGreaterThan(cursor);
        cursor = passedTo;
      }
      expect(told).toEqual(plan(events).owed);
    }
  });

  it('nothing of a log that has nothing new', () => {
    expect(plan(log('S', 'W'), 2)).toEqual({ owed: [], passedTo: 2, seen: 2, finished: false });
    expect(plan([], 0)).toEqual({ owed: [], passedTo: 0, seen: 0, finished: false });
  });
});
