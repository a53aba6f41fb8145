import type { Artifact, JsonValue, Message, Part, Struct, Task, TaskState } from '#protocol';
import type { Logger } from '../logger.js';
import type { AgentFetch } from './agent-fetch.js';
import type { AgentMemory } from './agent-memory.js';

/**
 * What an executor yields: the one-of of the specification's StreamResponse, without the ids that the host knows.
 * `message` is the direct answer of an agent that answers without a task (`answers: 'message' | 'either'`).
 */
export type AgentEvent =
  | { readonly statusUpdate: AgentStatusUpdate }
  | { readonly artifactUpdate: AgentArtifactUpdate }
  | { readonly message: AgentMessage }
  /** Replaces the task's metadata; recorded with the next event. */
  | { readonly taskMetadata: Struct };

export interface AgentStatusUpdate {
  readonly state: TaskState;
  readonly message?: AgentMessage;
  readonly metadata?: Struct;
}

export interface AgentArtifactUpdate {
  readonly artifact: Artifact;
  /** Append the parts to the artifact of that id; the first chunk of an attempt replaces whatever the id held. */
  readonly append?: boolean;
  readonly lastChunk?: boolean;
  readonly metadata?: Struct;
}

/** A message of the agent; `messageId` is made by the host when absent. */
export interface AgentMessage {
  readonly messageId?: string;
  readonly parts: Part[];
  readonly metadata?: Struct;
  readonly extensions?: string[];
  readonly referenceTaskIds?: string[];
}

export interface ExecutionContext {
  readonly taskId: string;
  readonly contextId: string;
  readonly tenant: string;
  readonly principalId: string;
  readonly agentId: string;
  /** The message that this turn answers. */
  readonly message: Message;
  readonly requestMetadata?: Struct;
  readonly acceptedOutputModes?: readonly string[];
  /** URIs of the agent's extensions that the client activated for this message; empty when it named none. */
  readonly extensions: readonly string[];
  /** The task as of the start of this attempt, with the history and what earlier attempts recorded. */
  readonly task: Task;
  /** `task.history`: the messages of the task so far, the client's and the agent's. */
  readonly history: readonly Message[];
  /** n for the n-th message of the task. */
  readonly turn: number;
  /** 1, and more when a process that ran this turn disappeared. */
  readonly attempt: number;
  /** Grows with every lease of the task: (taskId, turn, epoch) is a fencing token for outside effects. */
  readonly epoch: number;
  /** The last value that an earlier attempt of this turn gave to `checkpoint`; absent when there is none. */
  readonly lastCheckpoint?: JsonValue;
  /**
   * Aborted when the task is canceled, the turn times out, the lease is lost or the worker drains. What is yielded after
   * it is not recorded. `signal.reason` is an AbortedTurn.
   */
  readonly signal: AbortSignal;
  /** The worker's log; every line carries the ids of the turn. Credentials are hidden; what clients say does not belong there. */
  readonly logger: Logger;
  /** What the agent remembers of this context, beyond the task. */
  readonly memory: AgentMemory;
  /** `fetch` for URLs that strangers may have written; ends with the turn. */
  readonly fetch: AgentFetch;
  /**
   * Keeps a value for the next attempt of this turn, and is recorded together with every event yielded before it: what the next attempt
   * finds recorded and what it is given agree. Each call replaces the last; the end of the turn forgets it. Resolves once it is recorded. Rejects
   * with AgentLimitError for what is not JSON or is longer than 65,536 characters of it, and with the AbortedTurn of an aborted turn.
   */
  checkpoint(value: JsonValue): Promise<void>;
}

export type AbortCause = 'canceled' | 'timeout' | 'silence' | 'lease-lost' | 'drain';

export class AbortedTurn extends Error {
  override readonly name = 'AbortedTurn';
  constructor(
    override readonly cause: AbortCause,
    /** The metadata of the CancelTask request, for `canceled`. */
    readonly metadata?: Struct,
  ) {
    super(`The turn was aborted: ${cause}`);
  }
}

/** An agent's code. The end of the generator without a final status completes the task. */
export interface AgentExecutor {
  execute(context: ExecutionContext): AsyncIterable<AgentEvent>;
}
