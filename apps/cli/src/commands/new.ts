import { invocationFolder } from '#platform';
import { Command } from 'commander';
import { resolve } from 'node:path';

export function newCommand(): Command {
  const agent = new Command('agent')
    .description('Write the file of a new agent and a test of it, which runs.')
    .argument('<name>', "the agent's id: lower-case letters, digits and -, beginning with a letter")
    .option('--dir <folder>', "where; the folder in which the command is given, or the project's agents/")
    .action(async (name: string, { dir }: { dir?: string }) => {
      const { newAgent } = await import('../scaffold/new-agent.js');
      const { files, next } = newAgent(name, dir === undefined ? undefined : resolve(invocationFolder(), dir));
      for (const file of files) console.log(`wrote ${file}`);
      console.log(`\n${next.join('\n')}`);
    });
  return new Command('new').description('Begin something new.').addCommand(agent);
}
