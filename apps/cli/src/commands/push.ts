import { Command } from 'commander';
import { applyOptions, DATABASE_URL, withOptions } from './options.js';

const OPTIONS = [DATABASE_URL];

export function pushCommand(): Command {
  return new Command('push')
    .description('Push notifications: the key that signs them; docs/push.md says more.')
    .addCommand(rotateKeyCommand());
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
