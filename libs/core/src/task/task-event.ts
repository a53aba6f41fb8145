import type { StreamResponse, TaskState, WireText } from '#protocol';

/**
 * `accepted`: a client's message was accepted (its wire form is a status update). `status`, `artifact`: the agent's or
 * the host's events. `answer`: the Message of an agent that answers without a task.
 */
export type TaskEventKind = 'accepted' | 'status' | 'artifact' | 'answer';

/** One committed event of a task's log. */
export interface TaskEvent {
  readonly taskId: string;
  /** 1, 2, 3, … within the task, without a gap. SSE event id, replay cursor and dedupe key. */
  readonly sequence: number;
  readonly kind: TaskEventKind;
  /** The task's state once this event is applied. */
  readonly state: TaskState;
  /** For `accepted`: the turn that the message became. Otherwise the turn that wrote the event; 0 when none did. */
  readonly turn: number;
  /** This event ended `turn`. */
  readonly endsTurn: boolean;
  /** The frame as every reader gets it. */
  readonly payload: WireText<StreamResponse>;
  /**
   * The writer knows that the task has no metadata: they are no part of any event, and without them the fold of all events is
   * the whole task. Absent when it has some or the writer cannot tell.
   */
  readonly withoutMetadata?: true;
  /** On what a writing statement answers, and there only: the task has a push configuration, whose dispatchers are to be told. */
  readonly pushes?: true;
  /** For `accepted` only: the client's Message as JSON text. */
  readonly message?: string;
}
