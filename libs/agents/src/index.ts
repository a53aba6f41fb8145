export { AgentOptionsError, defineAgent } from './define-agent.js';
export type { AgentOptions } from './define-agent.js';
export {
  appendTo,
  artifact,
  ask,
  completed,
  failed,
  lastChunk,
  message,
  needAuth,
  reject,
  taskMetadata,
  working,
} from './events.js';
export type { ArtifactDescription, Said } from './events.js';
export { data, dataOf, file, fileUrl, text, textOf } from './parts.js';
export type { FileDescription } from './parts.js';
export { sleep } from './sleep.js';
export { streamText } from './stream-text.js';
export type { StreamTextOptions } from './stream-text.js';
export { AbortedTurn, AgentLimitError } from '#core';
export type { AgentEvent, AgentFetch, AgentFetchOptions, AgentMemory, AgentMessage, ExecutionContext, HostedAgent } from '#core';
export type { AgentCardTemplate, Artifact, JsonValue, Message, Part, Struct, Task, TaskState } from '#protocol';
