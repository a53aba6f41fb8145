import { agentSource } from '#loader';
import { invocationFolder, overrideEnvironment, unknownVariables } from '#platform';
import { Option, type Command } from 'commander';
import { resolve } from 'node:path';

/** An option that sets an environment variable; the variable's rules apply. */
export interface EnvironmentOption {
  readonly flags: string;
  readonly variable: string;
  readonly description: string;
  /** What the variable becomes of what was written. */
  readonly read?: (value: string) => string;
}

export const DATABASE_URL: EnvironmentOption = {
  flags: '--database-url <url>',
  variable: 'DATABASE_URL',
  description: 'the Postgres database',
};
export const REDIS_URL: EnvironmentOption = {
  flags: '--redis-url <url>',
  variable: 'REDIS_URL',
  description: 'Redis or Valkey; Postgres alone without',
};
export const LOG_LEVEL: EnvironmentOption = {
  flags: '--log-level <level>',
  variable: 'LOG_LEVEL',
  description: 'debug, info, warn, error or silent',
};
/** Paths are seen from the folder in which the command is given, as everywhere on a command line. */
export const AGENTS: EnvironmentOption = {
  flags: '--agents <places>',
  variable: 'CHORUS_AGENTS',
  description: 'folders, files and packages of agents, comma-separated',
  read: (value) =>
    value
      .split(',')
      .map((entry) => entry.trim())
      .map((entry) => pathOf(entry) ?? entry)
      .join(','),
};

function pathOf(entry: string): string | undefined {
  const folder = invocationFolder();
  const source = agentSource(entry, folder);
  // What is not there is named whole in the message of whoever looks for it.
  if (!source) return resolve(folder, entry);
  return source.kind === 'package' ? undefined : source.path;
}

export const PORT: EnvironmentOption = { flags: '--port <port>', variable: 'PORT', description: 'port of the API' };
export const HOST: EnvironmentOption = {
  flags: '--host <address>',
  variable: 'HOST',
  description: 'address that the API listens on',
};

/** Gives `command` the options; `applyOptions` puts those that were used into the environment. */
export function withOptions(command: Command, options: readonly EnvironmentOption[]): Command {
  for (const { flags, variable, description } of options) command.addOption(new Option(flags, `${description} (${variable})`));
  return command;
}

/** Before any configuration is read. Also reports variables that look like ours and are not. */
export function applyOptions(command: Command, options: readonly EnvironmentOption[]): void {
  const values = command.opts<Record<string, string>>();
  overrideEnvironment(
    Object.fromEntries(
      options.map(({ flags, variable, read = (value: string) => value }) => {
        const value = values[new Option(flags).attributeName()];
        return [variable, value === undefined ? undefined : read(value)];
      }),
    ),
  );
  for (const name of unknownVariables()) process.stderr.write(`chorus: ${name} is no variable of Chorus; is it misspelt?\n`);
}
