import { transformSync, type TransformFailure } from 'esbuild';
import { existsSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { LoadHook, ResolveHook } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { packageAskedFor } from './package-specifier.js';

/**
 * Hooks of Node's module loader for agents outside of this project: `chorus/agents` is this copy of Chorus, whatever folder asks for
 * it, and TypeScript is compiled as it is loaded. They run on a thread of their own.
 */

const OURS: Readonly<Record<string, string>> = {
  'chorus/agents': new URL('../../agents/src/index.js', import.meta.url).href,
  'chorus/agents/testing': new URL('../../agents/src/testing/index.js', import.meta.url).href,
};

const TYPESCRIPT = /\.m?ts$/;

export const resolve: ResolveHook = async (specifier, context, nextResolve) => {
  const url = OURS[specifier];
  if (url !== undefined) return { url, shortCircuit: true };
  const asked = packageAskedFor(specifier);
  if (asked) {
    let fault: unknown;
    for (const folder of asked.folders) {
      try {
        return await nextResolve(asked.name, { ...context, parentURL: pathToFileURL(join(folder, 'package.json')).href });
      } catch (error) {
        fault ??= error;
      }
    }
    throw fault;
  }
  const source = sourceOf(specifier, context.parentURL);
  return source ? { url: source, format: 'module', shortCircuit: true } : nextResolve(specifier, context);
};

export const load: LoadHook = async (url, context, nextLoad) => {
  if (!url.startsWith('file:') || !TYPESCRIPT.test(new URL(url).pathname)) return nextLoad(url, context);
  const file = fileURLToPath(url);
  return { format: 'module', source: compiled(file, await readFile(file, 'utf8')), shortCircuit: true };
};

/** The TypeScript file that a relative import means: by its own name, by the name of what is built from it, or without an ending. */
function sourceOf(specifier: string, parentURL: string | undefined): string | undefined {
  if (!/^(\.{1,2}\/|file:)/.test(specifier) || (parentURL !== undefined && !parentURL.startsWith('file:'))) return undefined;
  const url = new URL(specifier, parentURL);
  const path = fileURLToPath(url);
  const candidates = TYPESCRIPT.test(path) ? [path] : isFile(path) ? [] : [path.replace(/\.(m?)js$/, '.$1ts'), `${path}.ts`];
  const found = candidates.find((candidate) => TYPESCRIPT.test(candidate) && isFile(candidate));
  return found && `${pathToFileURL(found).href}${url.search}`;
}

const isFile = (path: string): boolean => existsSync(path) && statSync(path).isFile();

function compiled(file: string, source: string): string {
  try {
    const options = { loader: 'ts', format: 'esm', target: 'node20', sourcemap: 'inline', sourcefile: file } as const;
    return transformSync(source, { ...options, logLevel: 'silent' }).code;
  } catch (error) {
    const [first] = (error as Partial<TransformFailure>).errors ?? [];
    if (!first) throw error;
    const { line, column } = first.location ?? {};
    throw new SyntaxError(`${file}:${line ?? 1}:${(column ?? 0) + 1}: ${first.text}`, { cause: error });
  }
}
