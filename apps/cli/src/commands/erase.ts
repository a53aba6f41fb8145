import type { Erased } from '#core';
import { Command } from 'commander';
import type { EraseOptions } from '../erase/with-erasure.js';
import { applyOptions, DATABASE_URL, withOptions } from './options.js';

const OPTIONS = [DATABASE_URL];

export function eraseCommand(): Command {
  return withOptions(new Command('erase'), OPTIONS)
    .description('Delete tasks in whatever state they are; of a whole tenant or principal, its API keys too.')
    .option('--tenant <name>', 'of this tenant; the one without a name unless given')
    .option('--principal <name>', 'of this principal')
    .option('--agent <id>', 'of this agent')
    .option('--context <id>', 'of this context')
    .option('--task <id>', 'this task')
    .option('--yes', 'do it; without, only say how many tasks are meant')
    .action(async ({ yes, ...options }: EraseOptions & { yes?: boolean }, command: Command) => {
      applyOptions(command, OPTIONS);
      const { count, erase } = await import('../erase/with-erasure.js');
      if (yes) console.log(`Deleted: ${inWords(await erase(options))}`);
      else console.log(`${inWords(await count(options))} would be deleted: say --yes to delete`);
    });
}

const inWords = ({ tasks, apiKeys, memories }: Erased): string =>
  [
    numberOf(tasks, 'task'),
    ...(memories === 0 ? [] : [numberOf(memories, 'remembered value')]),
    ...(apiKeys === 0 ? [] : [numberOf(apiKeys, 'API key')]),
  ].join(', ');

const numberOf = (n: number, what: string): string => `${n} ${what}${n === 1 ? '' : 's'}`;
