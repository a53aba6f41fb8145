export { agentSource, watchedPaths } from './agent-source.js';
export type { AgentSource } from './agent-source.js';
export { BadAgentError, loadAgents } from './load-agents.js';
