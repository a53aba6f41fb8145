import { ConfigError, invocationFolder, projectRoot } from '#platform';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { agentFile, packageFile, specFile, testFile, tsconfigFile } from './files.js';

export interface NewAgent {
  /** What was written. */
  readonly files: readonly string[];
  /** What to do next, in lines. */
  readonly next: readonly string[];
}

const NAME = /^[a-z][a-z0-9-]{0,62}$/;

/**
 * Writes an agent and its test: in this project's `agents/` with a spec for Jest, in a folder elsewhere with a test for `node --test`, and with a
 * package.json and a tsconfig.json where there are none. Overwrites nothing. Throws ConfigError.
 */
export function newAgent(name: string, directory?: string): NewAgent {
  if (!NAME.test(name))
    throw new ConfigError(`"${name}" cannot be the name of an agent: lower-case letters, digits and -, a letter first`);
  const agents = join(projectRoot, 'agents');
  const invoked = invocationFolder();
  const folder = directory ?? (invoked === projectRoot ? agents : invoked);
  const inside = resolve(folder) === agents;
  const contents: Record<string, string> = inside
    ? { [`${name}.ts`]: agentFile(name), [`${name}.spec.ts`]: specFile(name) }
    : { [`${name}.ts`]: agentFile(name), [`${name}.test.mjs`]: testFile(name) };
  const taken = Object.keys(contents).find((file) => existsSync(join(folder, file)));
  if (taken !== undefined) throw new ConfigError(`${join(folder, taken)} is there already: choose another name, or remove it`);
  if (!inside) {
    const once = { 'package.json': packageFile(projectRoot), 'tsconfig.json': tsconfigFile(projectRoot) };
    for (const [file, text] of Object.entries(once)) if (!existsSync(join(folder, file))) contents[file] = text;
  }
  mkdirSync(folder, { recursive: true });
  for (const [file, text] of Object.entries(contents)) writeFileSync(join(folder, file), text, { flag: 'wx' });
  const shown = relative(invoked, folder) || '.';
  return {
    files: Object.keys(contents).map((file) => join(folder, file)),
    next: inside
      ? [`Test it:  npm test -- agents/${name}`, 'Run it:   npm start']
      : [
          `Test it:  npm --prefix ${quoted(shown)} test`,
          `Run it:   npm --prefix ${quoted(projectRoot)} start -- --agents ${quoted(shown)}`,
          `Or, to have it loaded anew whenever it changes:  npm --prefix ${quoted(projectRoot)} run -s chorus -- dev --agents ${quoted(shown)}`,
        ],
  };
}

const quoted = (path: string): string => (/^[\w./@-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`);
