import { Command } from 'commander';
import type { EraseOptions } from '../erase/erase-data.js';
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
      const { countErasable, eraseData } = await import('../erase/erase-data.js');
      if (!yes) {
        console.log(`${tasksOf(await countErasable(options))} would be deleted: say --yes to delete`);
        return;
      }
      const { tasks, apiKeys } = await eraseData(options);
      console.log(`Deleted: ${tasksOf(tasks)}${apiKeys === 0 ? '' : `, ${apiKeys === 1 ? '1 API key' : `${apiKeys} API keys`}`}`);
    });
}

const tasksOf = (count: number): string => (count === 1 ? '1 task' : `${count} tasks`);
