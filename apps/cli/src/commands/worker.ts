import { Command } from 'commander';
import { endWithParent } from '../end-with-parent.js';
import { AGENTS, applyOptions, DATABASE_URL, LOG_LEVEL, REDIS_URL, withOptions } from './options.js';

const OPTIONS = [
  DATABASE_URL,
  REDIS_URL,
  AGENTS,
  {
    flags: '--only <ids>',
    variable: 'WORKER_AGENTS',
    description: 'ids of the agents to host, comma-separated; all that are found without',
  },
  { flags: '--roles <roles>', variable: 'WORKER_ROLES', description: 'out of execute, push, reconcile' },
  { flags: '--concurrency <turns>', variable: 'WORKER_CONCURRENCY', description: 'turns of one agent at a time' },
  { flags: '--health-port <port>', variable: 'WORKER_HEALTH_PORT', description: 'port for /livez and /readyz' },
  LOG_LEVEL,
];

export function workerCommand(): Command {
  return withOptions(new Command('worker'), OPTIONS)
    .description('Run agents.')
    .action(async (_options, command: Command) => {
      applyOptions(command, OPTIONS);
      endWithParent();
      const { runWorker } = await import('../../../worker/src/main.js');
      await runWorker();
    });
}
