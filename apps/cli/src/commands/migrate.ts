import { loadConfig, migrationsDirectory } from '#platform';
import { Command } from 'commander';
import { applyOptions, DATABASE_URL, withOptions } from './options.js';

const OPTIONS = [DATABASE_URL];

export function migrateCommand(): Command {
  return withOptions(new Command('migrate'), OPTIONS)
    .description('Bring the database to the state that this version needs; safe to run at any time.')
    .action(async (_options, command: Command) => {
      applyOptions(command, OPTIONS);
      const { databaseUrl } = loadConfig();
      const { migrate } = await import('#postgres');
      const { applied } = await migrate(databaseUrl, migrationsDirectory);
      console.log(applied.length === 0 ? 'The database is up to date.' : `Applied: ${applied.join(', ')}`);
    });
}
