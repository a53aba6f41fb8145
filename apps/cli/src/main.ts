#!/usr/bin/env node
import { Command } from 'commander';
import { apiCommand } from './commands/api.js';
import { auditCommand } from './commands/audit.js';
import { cardCommand } from './commands/card.js';
import { devCommand } from './commands/dev.js';
import { eraseCommand } from './commands/erase.js';
import { keysCommand } from './commands/keys.js';
import { migrateCommand } from './commands/migrate.js';
import { newCommand } from './commands/new.js';
import { probeCommand } from './commands/probe.js';
import { pushCommand } from './commands/push.js';
import { upCommand } from './commands/up.js';
import { workerCommand } from './commands/worker.js';
import { explain } from './explain.js';

const program = new Command('chorus')
  .description('A multi-process host for A2A agents.')
  .addHelpText('after', '\nOptions set environment variables for one run; docs/configuration.md has all of them.')
  .addCommand(upCommand())
  .addCommand(devCommand())
  .addCommand(newCommand())
  .addCommand(apiCommand())
  .addCommand(workerCommand())
  .addCommand(migrateCommand())
  .addCommand(keysCommand())
  .addCommand(eraseCommand())
  .addCommand(auditCommand())
  .addCommand(pushCommand())
  .addCommand(cardCommand())
  .addCommand(probeCommand());

try {
  await program.parseAsync();
} catch (error) {
  process.stderr.write(`chorus: ${explain(error)}\n`);
  process.exit(1);
}
