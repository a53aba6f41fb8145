import { choices, integer, optional, port, text, variable, words } from '../values.js';

const group = 'Worker';

export const WORKER = {
  agents: variable('CHORUS_AGENTS', words, {
    group,
    default: 'dist/agents',
    description:
      'What agents a worker hosts: folders of JavaScript or TypeScript files, files, and packages, comma-separated. A relative path starts ' +
      "at the project's folder. By default the built form of `agents/`.",
  }),
  workerAgents: optional('WORKER_AGENTS', words, {
    group,
    description: 'Ids of the agents that this worker hosts. Without it: all that it finds.',
  }),
  workerRoles: variable('WORKER_ROLES', choices('execute', 'push', 'reconcile'), {
    group,
    default: 'execute,push,reconcile',
    description:
      'What this worker does: run agents, deliver push notifications (with CHORUS_ENCRYPTION_KEY), repair what was lost.',
  }),
  workerConcurrency: variable('WORKER_CONCURRENCY', integer(1, 10_000, 'turns'), {
    group,
    default: '50',
    description: 'Turns of one agent that a worker runs at a time, unless the agent says otherwise.',
  }),
  workerHealthPort: optional('WORKER_HEALTH_PORT', port, {
    group,
    description: 'Port on which a worker answers `/livez` and `/readyz`. Without it: none.',
  }),
  workerHealthHost: variable('WORKER_HEALTH_HOST', text, {
    group,
    default: '127.0.0.1',
    description: 'Address of that port.',
  }),
} as const;
