import { Command } from 'commander';
import type { AuditOptions } from '../audit/list-entries.js';
import { applyOptions, DATABASE_URL, withOptions } from './options.js';

const OPTIONS = [DATABASE_URL];

export function auditCommand(): Command {
  return withOptions(new Command('audit'), OPTIONS)
    .description('Who did what, the newest first; docs/security.md says what is in it.')
    .option('--tenant <name>', 'of this tenant ("" is the one without a name; all unless given)')
    .option('--principal <name>', 'of this principal')
    .option('--agent <id>', 'about this agent')
    .option('--task <id>', 'about this task')
    .option('--operation <name>', 'of this operation, as SendMessage or CreateApiKey')
    .option('--outcome <name>', 'with this outcome, as OK or PERMISSION_DENIED')
    .option('--since <time>', 'not before: 30m, 12h, 7d, 2027-01-31 or 2027-01-31T18:00Z')
    .option('--until <time>', 'before that time')
    .option('--before <id>', 'before this entry: the page after the one that ended there')
    .option('--limit <number>', 'most that are listed', '100')
    .option('--json', 'print a JSON array')
    .action(async ({ json, ...options }: AuditOptions & { json?: boolean }, command: Command) => {
      applyOptions(command, OPTIONS);
      const { listEntries } = await import('../audit/list-entries.js');
      const entries = await listEntries(options);
      const { shownAuditEntry } = await import('#core');
      const { auditTable } = await import('../audit/table.js');
      for (const line of json ? [JSON.stringify(entries.map(shownAuditEntry))] : auditTable(entries)) console.log(line);
    });
}
