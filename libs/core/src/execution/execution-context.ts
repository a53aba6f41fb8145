import type { JsonValue, Message, Task } from '#protocol';
import { loggerWith, type Logger } from '../logger.js';
import type { AgentMemoryStore } from '../ports/agent-memory-store.js';
import type { Claim } from '../ports/turn-store.js';
import { foldStored } from '../task/render-task.js';
import type { ExecutionContext } from './agent-executor.js';
import type { AgentFetch } from './agent-fetch.js';
import { TurnMemory } from './agent-memory.js';

/** What an agent may use of its host. */
export interface AgentServices {
  readonly memory: AgentMemoryStore;
  readonly fetch: AgentFetch;
  readonly logger: Logger;
}

/** The turn that a context belongs to. */
export interface TurnControl {
  readonly signal: AbortSignal;
  /** The lease is another's; aborts `signal`. */
  onFenced(): void;
  checkpoint(value: JsonValue): Promise<void>;
}

/** What an executor is given for a claim. */
export function executionContext(claim: Claim, services: AgentServices, turn: TurnControl): ExecutionContext {
  const { message, requestMetadata, acceptedOutputModes, extensions = [], fence, tenant, agentId } = claim;
  const { signal } = turn;
  let task: Task | undefined;
  let memory: TurnMemory | undefined;
  let logger: Logger | undefined;
  return {
    taskId: fence.taskId,
    contextId: claim.task.contextId,
    tenant,
    principalId: claim.owner,
    agentId,
    message,
    ...(requestMetadata === undefined ? {} : { requestMetadata }),
    ...(acceptedOutputModes === undefined ? {} : { acceptedOutputModes }),
    extensions,
    // Folded when the agent asks for it, and from texts: what it does to the object reaches nobody else.
    get task(): Task {
      return (task ??= foldStored(claim.task));
    },
    get history(): readonly Message[] {
      return this.task.history ?? [];
    },
    turn: claim.turn,
    attempt: claim.attempt,
    epoch: fence.epoch,
    ...(claim.checkpoint === undefined ? {} : { lastCheckpoint: JSON.parse(claim.checkpoint) as JsonValue }),
    signal,
    get logger(): Logger {
      const fields = { tenant, agentId, taskId: fence.taskId, turn: claim.turn, attempt: claim.attempt };
      return (logger ??= loggerWith(services.logger, fields));
    },
    get memory(): TurnMemory {
      return (memory ??= new TurnMemory(services.memory, fence, signal, () => turn.onFenced()));
    },
    fetch: (url, options = {}) =>
      services.fetch(url, { ...options, signal: options.signal ? AbortSignal.any([signal, options.signal]) : signal }),
    checkpoint: (value) => turn.checkpoint(value),
  };
}
