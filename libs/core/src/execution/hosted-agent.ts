import type { AgentDefinition } from '../ports/agent-registry.js';
import type { AgentExecutor } from './agent-executor.js';

/** An agent as a worker runs it: what it announces, and the code behind it. */
export interface HostedAgent extends AgentDefinition {
  readonly executor: AgentExecutor;
  /** True: an attempt goes on where the last one stood, so its first chunk of an artifact may append to what is recorded. */
  readonly resumes: boolean;
  /** Turns that one worker process runs at a time; the worker's own setting when absent. */
  readonly concurrency?: number;
  /** Milliseconds that one turn may take; the worker's own setting when absent. */
  readonly turnTimeoutMs?: number;
  /** Milliseconds that may pass between two events; the worker's own setting when absent. */
  readonly silenceTimeoutMs?: number;
}
