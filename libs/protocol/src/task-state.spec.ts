import { TASK_STATE_NUMBERS, isInterrupted, isTerminal, taskStateOf } from './task-state.js';
import type { TaskState } from './types.js';

describe('task states', () => {
  it.each<[TaskState, number, 'terminal' | 'interrupted' | 'running']>([
    ['TASK_STATE_SUBMITTED', 1, 'running'],
    ['TASK_STATE_WORKING', 2, 'running'],
    ['TASK_STATE_COMPLETED', 3, 'terminal'],
    ['TASK_STATE_FAILED', 4, 'terminal'],
    ['TASK_STATE_CANCELED', 5, 'terminal'],
    ['TASK_STATE_INPUT_REQUIRED', 6, 'interrupted'],
    ['TASK_STATE_REJECTED', 7, 'terminal'],
    ['TASK_STATE_AUTH_REQUIRED', 8, 'interrupted'],
  ])('%s is %i and %s', (state, number, kind) => {
    expect(TASK_STATE_NUMBERS[state]).toBe(number);
    expect(taskStateOf(number)).toBe(state);
    expect(isTerminal(state)).toBe(kind === 'terminal');
    expect(isInterrupted(state)).toBe(kind === 'interrupted');
  });

  it.each([0, 9, -1, 1.5])('knows no state %d', (number) => {
    expect(taskStateOf(number)).toBeUndefined();
  });
});
