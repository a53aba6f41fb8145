import { Command } from 'commander';
import { endWithParent } from '../end-with-parent.js';
import { applyOptions, DATABASE_URL, HOST, LOG_LEVEL, PORT, REDIS_URL, withOptions } from './options.js';

const OPTIONS = [
  HOST,
  PORT,
  DATABASE_URL,
  REDIS_URL,
  { flags: '--public-url <url>', variable: 'PUBLIC_URL', description: 'where clients reach the API' },
  { flags: '--default-agent <id>', variable: 'CHORUS_DEFAULT_AGENT', description: 'agent that also answers at /' },
  LOG_LEVEL,
];

export function apiCommand(): Command {
  return withOptions(new Command('api'), OPTIONS)
    .description('Serve the agents that workers announce.')
    .action(async (_options, command: Command) => {
      applyOptions(command, OPTIONS);
      endWithParent();
      const { runApi } = await import('../../../api/src/main.js');
      await runApi();
    });
}
