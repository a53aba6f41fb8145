import type { Message, StreamResponse, Struct, TaskState, WireText } from '#protocol';
import { randomUUID } from 'node:crypto';
import type { EndingStatus, NewEvent } from '../ports/turn-store.js';

/** Whose event it is. */
export interface TaskIdentity {
  readonly taskId: string;
  readonly contextId: string;
}

export interface StatusDetails {
  readonly message?: Message;
  readonly metadata?: Struct;
}

export type StatusEvent = Extract<NewEvent, { kind: 'status' }>;

/** The status update in the pieces that a store needs to decide its state under the row's lock. `at`: milliseconds, database time. */
export function statusEvent(identity: TaskIdentity, state: TaskState, at: number, details: StatusDetails = {}): StatusEvent {
  return { kind: 'status', state, ...endingStatus(identity, at, details) };
}

/** `statusEvent` without a state: the store chooses it. */
export function endingStatus(
  { taskId, contextId }: TaskIdentity,
  at: number,
  { message, metadata }: StatusDetails = {},
): EndingStatus {
  return {
    head: `{"statusUpdate":{"taskId":${JSON.stringify(taskId)},"contextId":${JSON.stringify(contextId)},"status":`,
    statusRest: statusRest(at, message),
    tail: metadata === undefined ? '}}' : `,"metadata":${JSON.stringify(metadata)}}}`,
    statusTimestamp: at,
  };
}

/** What follows the state in a TaskStatus. */
export const statusRest = (at: number, message?: Message): string =>
  `${message ? `,"message":${JSON.stringify(message)}` : ''},"timestamp":"${new Date(at).toISOString()}"}`;

/** The frame of a status event once its state is known. */
export const statusFrame = (event: EndingStatus, state: TaskState): WireText<StreamResponse> =>
  `${event.head}{"state":"${state}"${event.statusRest}${event.tail}`;

/** A message by which the host speaks for the agent. */
export const hostMessage = ({ taskId, contextId }: TaskIdentity, text: string): Message => ({
  messageId: randomUUID(),
  contextId,
  taskId,
  role: 'ROLE_AGENT',
  parts: [{ text }],
});
