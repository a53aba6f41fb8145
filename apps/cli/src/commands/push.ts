import { Command } from 'commander';
import type { DeliveriesOptions, ListOptions, RedeliverOptions } from '../push/with-push-ledger.js';
import { applyOptions, DATABASE_URL, withOptions } from './options.js';

const OPTIONS = [DATABASE_URL];

export function pushCommand(): Command {
  return new Command('push')
    .description('Push notifications: what became of them, and the key that signs them; docs/push.md says more.')
    .addCommand(listCommand())
    .addCommand(deliveriesCommand())
    .addCommand(redeliverCommand())
    .addCommand(rotateKeyCommand());
}

const ofSomebody = (command: Command): Command =>
  withOptions(command, OPTIONS)
    .option('--tenant <name>', 'of this tenant ("" is the one without a name; all unless given)')
    .option('--agent <id>', 'of this agent');

function listCommand(): Command {
  return ofSomebody(new Command('list'))
    .description('List configurations, the newest tasks first.')
    .option('--task <id>', 'of this task')
    .option('--dead', 'only those that were given up, the last first')
    .option('--limit <number>', 'most that are listed', '100')
    .option('--json', 'print a JSON array')
    .action(async ({ json, ...options }: ListOptions & { json?: boolean }, command: Command) => {
      applyOptions(command, OPTIONS);
      const { listConfigs } = await import('../push/with-push-ledger.js');
      const configs = await listConfigs(options);
      const { shownPushConfig } = await import('#core');
      const { configTable } = await import('../push/table.js');
      for (const line of json ? [JSON.stringify(configs.map(shownPushConfig))] : configTable(configs)) console.log(line);
    });
}

function deliveriesCommand(): Command {
  return ofSomebody(new Command('deliveries'))
    .description('List the attempts to deliver what a task owes, the newest first.')
    .argument('<task>', 'the id of the task')
    .option('--config <id>', 'of this configuration')
    .option('--limit <number>', 'most that are listed', '100')
    .option('--json', 'print a JSON array')
    .action(async (task: string, { json, ...options }: DeliveriesOptions & { json?: boolean }, command: Command) => {
      applyOptions(command, OPTIONS);
      const { listAttempts } = await import('../push/with-push-ledger.js');
      const attempts = await listAttempts(task, options);
      const { shownPushAttempt } = await import('#core');
      const { attemptTable } = await import('../push/table.js');
      for (const line of json ? [JSON.stringify(attempts.map(shownPushAttempt))] : attemptTable(attempts)) console.log(line);
    });
}

function redeliverCommand(): Command {
  return ofSomebody(new Command('redeliver'))
    .description('Have notifications delivered at once, given up or not.')
    .argument('[task]', 'the id of the task')
    .option('--config <id>', 'to this configuration alone')
    .option('--from <event>', 'from this event on (default: from the first that is owed)')
    .option('--dead', 'all that was given up, whatever its task')
    .option('--receiver <origin>', 'with --dead: what is for this receiver, as https://client.example.com')
    .action(async (task: string | undefined, options: RedeliverOptions, command: Command) => {
      applyOptions(command, OPTIONS);
      const { redeliver } = await import('../push/with-push-ledger.js');
      const count = await redeliver(task, options);
      console.log(`${count} configuration${count === 1 ? ' is' : 's are'} due now`);
      if (count === 0 && task !== undefined) process.exitCode = 1;
    });
}

function rotateKeyCommand(): Command {
  return withOptions(new Command('rotate-key'), OPTIONS)
    .description('Make the next key that push notifications are signed with, and print its id. Needs CHORUS_ENCRYPTION_KEY.')
    .option('--now', 'it signs at once, and the others are not published any more: for a key that was stolen')
    .action(async ({ now = false }: { now?: boolean }, command: Command) => {
      applyOptions(command, OPTIONS);
      const { rotateKey } = await import('../push/rotate-key.js');
      console.log(await rotateKey(now));
    });
}
