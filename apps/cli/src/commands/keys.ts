import { Command } from 'commander';
import type { KeyOptions } from '../keys/create-key.js';
import { applyOptions, DATABASE_URL, withOptions } from './options.js';

const OPTIONS = [DATABASE_URL];
const DEFAULT_SCOPES = ['tasks:read', 'tasks:write'];

export function keysCommand(): Command {
  return new Command('keys')
    .description('API keys, and client certificates, for a host with CHORUS_AUTH=apikey,mtls; docs/security.md says more.')
    .addCommand(createCommand())
    .addCommand(listCommand())
    .addCommand(revokeCommand());
}

function createCommand(): Command {
  return withOptions(new Command('create'), OPTIONS)
    .description('Make a key, and print it: it is not shown again.')
    .requiredOption('--principal <name>', 'whose key it is; keys of one principal see the same tasks')
    .option('--tenant <name>', 'the tenant that it is for; the one without a name unless given')
    .option('--all-tenants', 'it is for every tenant; with --scope admin alone')
    .option('--scope <scope...>', 'what it permits: tasks:read, tasks:write, push, card:extended, admin', DEFAULT_SCOPES)
    .option('--agent <id...>', 'the agents that it is for (default: all)')
    .option('--expires <time>', 'until when it is valid: 12h, 90d or 2027-01-31 (default: for ever)')
    .option('--certificate <file>', 'register this client certificate (PEM) instead, for CHORUS_AUTH=mtls')
    .option('--san <name>', 'the same for all that have this name: URI:…, DNS:… or email:…')
    .option('--json', 'print {"id", "key"}; a certificate has no key')
    .action(async ({ json, ...options }: KeyOptions & { json?: boolean }, command: Command) => {
      applyOptions(command, OPTIONS);
      const { createKey } = await import('../keys/create-key.js');
      const created = await createKey(options);
      console.log(json ? JSON.stringify(created) : (created.key ?? created.id));
    });
}

function listCommand(): Command {
  return withOptions(new Command('list'), OPTIONS)
    .description('List the keys, the newest first; none of them can be used from here.')
    .option('--json', 'print a JSON array; times are milliseconds since the epoch')
    .action(async ({ json }: { json?: boolean }, command: Command) => {
      applyOptions(command, OPTIONS);
      const { withApiKeys } = await import('../keys/with-api-keys.js');
      const { keyTable } = await import('../keys/table.js');
      const keys = await withApiKeys((store) => store.list());
      for (const line of json ? [JSON.stringify(keys)] : keyTable(keys, Date.now())) console.log(line);
    });
}

function revokeCommand(): Command {
  return withOptions(new Command('revoke'), OPTIONS)
    .description('Refuse a key from here on; every API knows within 5 seconds.')
    .argument('<id>', 'the second of the three parts of the key')
    .action(async (id: string, _options, command: Command) => {
      applyOptions(command, OPTIONS);
      const { revokeKey } = await import('../keys/revoke-key.js');
      if (await revokeKey(id)) return;
      console.error(`chorus: there is no key ${id}`);
      process.exitCode = 1;
    });
}
