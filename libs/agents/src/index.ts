export { AgentOptionsError, defineAgent } from './define-agent.js';
export type { AgentOptions } from './define-agent.js';
export {
  artifact,
  authRequired,
  chunk,
  completed,
  failed,
  inputRequired,
  lastChunk,
  message,
  rejected,
  taskMetadata,
  working,
} from './events.js';
export type { ArtifactDescription, Said } from './events.js';
export { data, dataOf, file, fileUrl, text, textOf } from './parts.js';
export type { FileDescription } from './parts.js';
export { sleep } from './sleep.js';
export { AbortedTurn } from '#core';
export type { AgentEvent, AgentMessage, ExecutionContext, HostedAgent } from '#core';
export type { AgentCardTemplate, Artifact, JsonValue, Message, Part, Struct, Task, TaskState } from '#protocol';
