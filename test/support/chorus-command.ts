import { projectRoot } from '#platform';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const MAIN = join(projectRoot, 'dist', 'apps', 'cli', 'src', 'main.js');

/** What a `chorus` command prints that uses this database. Rejects with what it says when it fails. */
export function chorus(databaseUrl: string, ...args: readonly string[]): Promise<string> {
  return chorusIn({ DATABASE_URL: databaseUrl }, ...args);
}

/** The same in an environment that has more. */
export async function chorusIn(environment: Readonly<Record<string, string>>, ...args: readonly string[]): Promise<string> {
  const env = { ...process.env, ...environment };
  return (await promisify(execFile)(process.execPath, [MAIN, ...args], { env })).stdout.trim();
}

/** Makes a key as an operator does. */
export async function createKey(databaseUrl: string, ...args: readonly string[]): Promise<{ id: string; key: string }> {
  return JSON.parse(await chorus(databaseUrl, 'keys', 'create', '--json', ...args)) as { id: string; key: string };
}
