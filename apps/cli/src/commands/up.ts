import { Command, InvalidArgumentError, Option } from 'commander';
import { runUp } from '../up/run-up.js';
import { AGENTS, applyOptions, DATABASE_URL, HOST, LOG_LEVEL, PORT, REDIS_URL, withOptions } from './options.js';

export const UP_OPTIONS = [
  HOST,
  PORT,
  AGENTS,
  { flags: '--data <folder>', variable: 'CHORUS_DATA_DIR', description: 'where the data are kept' },
  DATABASE_URL,
  REDIS_URL,
  LOG_LEVEL,
];

export function upCommand(): Command {
  return withOptions(new Command('up'), UP_OPTIONS)
    .description('Run the whole system on this machine: Postgres and Redis unless they are named, an API, workers.')
    .addOption(new Option('--workers <number>', 'worker processes').default(2).argParser(workerCount))
    .action(async ({ workers }: { workers: number }, command: Command) => {
      applyOptions(command, UP_OPTIONS);
      await runUp({ workers });
    });
}

export function workerCount(value: string): number {
  if (!/^\d{1,3}$/.test(value)) throw new InvalidArgumentError('It is not a whole number from 0 to 999.');
  return Number(value);
}
