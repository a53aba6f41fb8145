import type { AgentEvent, AgentMessage } from '#core';
import type { Artifact, Part, Struct, TaskState } from '#protocol';
import { text } from './parts.js';

/** What an agent says: a text, or a whole message. */
export type Said = string | AgentMessage;

export interface ArtifactDescription {
  readonly id: string;
  readonly name?: string;
  readonly description?: string;
  readonly metadata?: Struct;
}

const said = (what: Said): AgentMessage => (typeof what === 'string' ? { parts: [text(what)] } : what);

const status = (state: TaskState, what?: Said, metadata?: Struct): AgentEvent => ({
  statusUpdate: { state, ...(what === undefined ? {} : { message: said(what) }), ...(metadata ? { metadata } : {}) },
});

/** The task is WORKING; what is said is progress, seen in streams and kept out of the history. */
export const working = (what?: Said, metadata?: Struct): AgentEvent => status('TASK_STATE_WORKING', what, metadata);

/** The task is COMPLETED. Ends the turn. */
export const completed = (what?: Said, metadata?: Struct): AgentEvent => status('TASK_STATE_COMPLETED', what, metadata);

/** The task is FAILED. Ends the turn. */
export const failed = (why: Said, metadata?: Struct): AgentEvent => status('TASK_STATE_FAILED', why, metadata);

/** The agent does not take the task: REJECTED. Ends the turn. */
export const reject = (why: Said, metadata?: Struct): AgentEvent => status('TASK_STATE_REJECTED', why, metadata);

/** INPUT_REQUIRED: ends the turn; the client's next message to the task starts the next one. */
export const ask = (question: Said, metadata?: Struct): AgentEvent => status('TASK_STATE_INPUT_REQUIRED', question, metadata);

/** AUTH_REQUIRED: ends the turn, as `ask` does. */
export const needAuth = (what: Said, metadata?: Struct): AgentEvent => status('TASK_STATE_AUTH_REQUIRED', what, metadata);

/** The direct answer of an agent that declares `answers: 'message'` or `'either'`: no task is made. */
export const message = (what: Said): AgentEvent => ({ message: said(what) });

/** A whole artifact; one of the same id is replaced. */
export const artifact = (what: string | ArtifactDescription, ...parts: Part[]): AgentEvent => ({
  artifactUpdate: { artifact: artifactOf(what, parts), lastChunk: true },
});

/** Adds parts to an artifact: a chunk of one that is streamed. The first chunk of an attempt replaces, unless the agent `resumes`. */
export const appendTo = (what: string | ArtifactDescription, ...parts: Part[]): AgentEvent => ({
  artifactUpdate: { artifact: artifactOf(what, parts), append: true },
});

/** `appendTo`, with the artifact's last parts. */
export const lastChunk = (what: string | ArtifactDescription, ...parts: Part[]): AgentEvent => ({
  artifactUpdate: { artifact: artifactOf(what, parts), append: true, lastChunk: true },
});

/** Replaces the task's metadata, together with the next event. */
export const taskMetadata = (metadata: Struct): AgentEvent => ({ taskMetadata: metadata });

function artifactOf(what: string | ArtifactDescription, parts: Part[]): Artifact {
  const { id, ...rest } = typeof what === 'string' ? { id: what } : what;
  return { artifactId: id, ...rest, parts };
}
