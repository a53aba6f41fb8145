import { isInterrupted, isTerminal } from '#protocol';
import type { TaskEvent } from '../task/task-event.js';

/**
 * Does `event` answer the message that became `turn`? The task's end does, and so does an end of that turn, or of a later one,
 * that leaves the task waiting for the client. Judged event by event: an earlier turn's question answers no later message.
 */
export const answers = ({ state, endsTurn, turn: ended }: TaskEvent, turn: number): boolean =>
  isTerminal(state) || (endsTurn && ended >= turn && isInterrupted(state));

/** A stream ends where a blocking send does, but stays open over AUTH_REQUIRED: it is resolved elsewhere, and the turn goes on. */
export const endsStream = (event: TaskEvent, turn: number): boolean =>
  answers(event, turn) && event.state !== 'TASK_STATE_AUTH_REQUIRED';
