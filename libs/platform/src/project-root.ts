import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder that holds package.json, from the source as well as from its built form. */
export const projectRoot: string = findRoot(dirname(fileURLToPath(import.meta.url)));

/** The SQL migrations of this version of the code. */
export const migrationsDirectory: string = join(projectRoot, 'prisma', 'migrations');

/** The descriptions of the services that are served over gRPC. */
export const protoDirectory: string = join(projectRoot, 'proto');

/** The folder in which the command was given: npm runs scripts in the project's, and says in INIT_CWD where it was. */
export function invocationFolder(environment: Readonly<Record<string, string | undefined>>, cwd = process.cwd()): string {
  const { INIT_CWD: initial } = environment;
  return cwd === projectRoot && initial ? initial : cwd;
}

function findRoot(folder: string): string {
  if (existsSync(join(folder, 'package.json'))) return folder;
  const parent = dirname(folder);
  if (parent === folder) throw new Error('No package.json above the code');
  return findRoot(parent);
}
