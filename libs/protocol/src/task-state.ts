import type { TaskState } from './types.js';

/** The proto's enum numbers; what the store keeps. */
export const TASK_STATE_NUMBERS: Readonly<Record<TaskState, number>> = Object.freeze({
  TASK_STATE_SUBMITTED: 1,
  TASK_STATE_WORKING: 2,
  TASK_STATE_COMPLETED: 3,
  TASK_STATE_FAILED: 4,
  TASK_STATE_CANCELED: 5,
  TASK_STATE_INPUT_REQUIRED: 6,
  TASK_STATE_REJECTED: 7,
  TASK_STATE_AUTH_REQUIRED: 8,
});

const BY_NUMBER = new Map<number, TaskState>(
  Object.entries(TASK_STATE_NUMBERS).map(([name, number]) => [number, name as TaskState]),
);

/** The state that the proto numbers `value`, or undefined when there is none. */
export const taskStateOf = (value: number): TaskState | undefined => BY_NUMBER.get(value);

/** Nothing follows a terminal state (section 4.1.3). */
export const isTerminal = (state: TaskState): boolean =>
  state === 'TASK_STATE_COMPLETED' ||
  state === 'TASK_STATE_FAILED' ||
  state === 'TASK_STATE_CANCELED' ||
  state === 'TASK_STATE_REJECTED';

/** The task waits for its client: for an answer or for a credential. */
export const isInterrupted = (state: TaskState): boolean =>
  state === 'TASK_STATE_INPUT_REQUIRED' || state === 'TASK_STATE_AUTH_REQUIRED';
