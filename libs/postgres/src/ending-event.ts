import type { TaskEvent } from '#core';
import { stateFromRow } from './rows.js';

/** What the statements that end leases answer for each row. */
export interface EndedRow {
  readonly id: string;
  readonly agent_id: string;
  readonly turn: number;
  readonly epoch: number;
  readonly new_state: number | null;
  readonly sequence: number;
  readonly pushes: boolean;
  readonly payload: string | null;
}

/** The event that ended the task, when the statement ended more than a lease. */
export function endingEvent(row: EndedRow): TaskEvent | undefined {
  if (row.new_state === null) return undefined;
  return {
    taskId: row.id,
    sequence: row.sequence,
    kind: 'status',
    state: stateFromRow(row.new_state),
    turn: row.turn,
    endsTurn: true,
    payload: row.payload as string,
    ...(row.pushes ? { pushes: true } : {}),
  };
}
