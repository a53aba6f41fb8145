import type { Artifact, Message, StreamResponse, Task, TaskArtifactUpdateEvent } from '#protocol';
import type { TaskEvent, TaskEventKind } from './task-event.js';

/** What the fold needs of an event: its frame as an object, and the client's message for an accepted one. */
export interface FoldedEvent {
  readonly kind: TaskEventKind;
  readonly endsTurn: boolean;
  readonly frame: StreamResponse;
  readonly message?: Message;
}

/** The event with its texts parsed. */
export const parseEvent = (event: TaskEvent): FoldedEvent => ({
  kind: event.kind,
  endsTurn: event.endsTurn,
  frame: JSON.parse(event.payload) as StreamResponse,
  ...(event.message === undefined ? {} : { message: JSON.parse(event.message) as Message }),
});

/**
 * A task is a fold of its events, and this is the fold: the one place that says what an event does to a task. It works on
 * copies of its own, so that ten thousand chunks of one artifact cost ten thousand steps; what it was given never changes.
 *
 * History holds the conversation: what the client said, and the agent's message of an event that ended a turn.
 * Progress messages stay in the log and in streams.
 */
export class TaskFold {
  #task: Task;
  #artifacts: Artifact[];
  #history: Message[];
  /** Indexes of the artifacts whose `parts` array is ours to grow. */
  readonly #owned = new Set<number>();
  readonly #indexes = new Map<string, number>();

  constructor(task: Task) {
    this.#task = task;
    this.#artifacts = [...(task.artifacts ?? [])];
    this.#history = [...(task.history ?? [])];
    this.#artifacts.forEach((artifact, index) => this.#indexes.set(artifact.artifactId, index));
  }

  apply({ kind, endsTurn, frame, message }: FoldedEvent): void {
    if (frame.statusUpdate) {
      const { status } = frame.statusUpdate;
      this.#task = { ...this.#task, status };
      if (kind !== 'accepted' && endsTurn && status.message) this.#history.push(status.message);
    }
    if (frame.artifactUpdate) this.#applyArtifact(frame.artifactUpdate);
    if (kind === 'accepted' && message) this.#history.push(message);
  }

  /** The task now; later events do not change what was returned. */
  task(): Task {
    this.#owned.clear();
    const { id, contextId, status, metadata } = this.#task;
    return {
      id,
      ...(contextId === undefined ? {} : { contextId }),
      status,
      ...(this.#artifacts.length > 0 ? { artifacts: [...this.#artifacts] } : {}),
      ...(this.#history.length > 0 ? { history: [...this.#history] } : {}),
      ...(metadata === undefined ? {} : { metadata }),
    };
  }

  /** Section 4.2.2: `append` adds the parts to the artifact of that id, anything else sets it. */
  #applyArtifact({ artifact, append }: TaskArtifactUpdateEvent): void {
    const index = this.#indexes.get(artifact.artifactId);
    const known = index === undefined ? undefined : this.#artifacts[index];
    if (index === undefined || !known) {
      this.#indexes.set(artifact.artifactId, this.#artifacts.length);
      this.#artifacts.push(artifact);
      return;
    }
    if (!append) {
      this.#artifacts[index] = artifact;
      this.#owned.delete(index);
      return;
    }
    const parts = this.#owned.has(index) ? known.parts : [...known.parts];
    for (const part of artifact.parts) parts.push(part);
    this.#owned.add(index);
    const metadata = artifact.metadata ? { ...known.metadata, ...artifact.metadata } : known.metadata;
    this.#artifacts[index] = { ...known, ...artifact, parts, ...(metadata ? { metadata } : {}) };
  }
}

/** `task` after `events`, in order. Pure. */
export function foldEvents(task: Task, events: Iterable<FoldedEvent>): Task {
  const fold = new TaskFold(task);
  for (const event of events) fold.apply(event);
  return fold.task();
}
