import { overrideEnvironment, unknownVariables } from '#platform';
import { Option, type Command } from 'commander';

/** An option that sets an environment variable; the variable's rules apply. */
export interface EnvironmentOption {
  readonly flags: string;
  readonly variable: string;
  readonly description: string;
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
    Object.fromEntries(options.map(({ flags, variable }) => [variable, values[new Option(flags).attributeName()]])),
  );
  for (const name of unknownVariables()) process.stderr.write(`chorus: ${name} is no variable of Chorus; is it misspelt?\n`);
}
