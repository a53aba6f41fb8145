import type { z } from 'zod';
import { invocationFolder as folderOfInvocation } from '../project-root.js';
import { contradictions } from './contradictions.js';
import { VARIABLES } from './variables.js';
import type { Variable } from './values.js';

type Variables = typeof VARIABLES;

/** Every setting, read once and frozen. Units are in the names or in `docs/configuration.md`. */
export type Config = { readonly [K in keyof Variables]: Variables[K] extends Variable<infer T> ? T : never };

/** `Config` before a database is chosen. */
export type LaunchConfig = Omit<Config, 'databaseUrl'> & { readonly databaseUrl?: string };

export type Environment = Readonly<Record<string, string | undefined>>;

/** A setting is wrong; the message is one line that says which and why. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/**
 * The settings of this process, from its environment. Values are never echoed: they may hold a password.
 * @throws ConfigError naming every variable that is missing or wrong.
 */
export function loadConfig(environment: Environment = process.env): Config {
  return read(environment, []) as Config;
}

/** As `loadConfig`, for the command that starts a database of its own when none is named. */
export function loadLaunchConfig(environment: Environment = process.env): LaunchConfig {
  return read(environment, ['databaseUrl']) as LaunchConfig;
}

/** Makes options of the command line part of the environment; they win over what was there. Undefined ones change nothing. */
export function overrideEnvironment(values: Environment): void {
  for (const [name, value] of Object.entries(values)) if (value !== undefined) process.env[name] = value;
}

/** The environment for a child process: this one's, and `values` over it. */
export function environmentWith(values: Environment): Record<string, string | undefined> {
  return { ...process.env, ...values };
}

/** The folders in which programs are looked up. */
export const searchPath = (): string | undefined => process.env['PATH'];

/** The folder in which the command was given. */
export const invocationFolder = (): string => folderOfInvocation(process.env);

/** Names that look like ours but are not: most likely misspelt. */
export function unknownVariables(environment: Environment = process.env): string[] {
  const known = new Set<string>(Object.values(VARIABLES).map(({ name }) => name));
  return Object.keys(environment).filter((name) => /^CHORUS_(?!TEST_)/.test(name) && !known.has(name));
}

function read(environment: Environment, mayBeMissing: readonly string[]): Record<string, unknown> {
  const faults: string[] = [];
  const values: Record<string, unknown> = {};
  for (const [key, variable] of Object.entries<Variable<unknown>>(VARIABLES)) {
    const written = environment[variable.name];
    // Empty is not set: compose files and shells pass on variables that nobody gave a value. Only a list can be empty.
    const text =
      written === undefined || (written.trim() === '' && variable !== VARIABLES.trustProxy) ? variable.default : written.trim();
    if (text === undefined) {
      if (variable.required && !mayBeMissing.includes(key)) faults.push(`${variable.name} is not set (${variable.accepts})`);
      continue;
    }
    const parsed = variable.schema.safeParse(text);
    if (parsed.success) values[key] = parsed.data;
    else faults.push(`${variable.name} ${firstMessage(parsed.error)}`);
  }
  if (faults.length === 0) faults.push(...contradictions(values as Config));
  if (faults.length > 0) throw new ConfigError(faults.join('; '));
  return Object.freeze(values);
}

const firstMessage = (error: z.ZodError): string => error.issues[0]?.message ?? 'is wrong';
