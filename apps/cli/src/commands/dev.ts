import { Command, Option } from 'commander';
import { runUp } from '../up/run-up.js';
import { applyOptions, withOptions } from './options.js';
import { UP_OPTIONS, workerCount } from './up.js';

export function devCommand(): Command {
  return withOptions(new Command('dev'), UP_OPTIONS)
    .description('As "up", with one worker, on the sources of agents: when their files change, new workers take over.')
    .addOption(new Option('--workers <number>', 'worker processes').default(1).argParser(workerCount))
    .action(async ({ workers }: { workers: number }, command: Command) => {
      applyOptions(command, UP_OPTIONS);
      await runUp({ workers, reloads: true });
    });
}
