import { existsSync, statSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';

/** Where agents come from: a folder of files, one file, or a package. */
export type AgentSource =
  | { readonly kind: 'folder' | 'file'; readonly path: string }
  /** `from`: the folder from which the package is found, as an import there finds it. */
  | { readonly kind: 'package'; readonly name: string; readonly from: string };

const PACKAGE_NAME = /^(@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*(\/[\w./-]+)?$/i;

/**
 * What an entry means: the folder or file of that path, seen from `base`, else the package of that name. Undefined when it is a path
 * and nothing is there.
 */
export function agentSource(entry: string, base: string): AgentSource | undefined {
  const path = resolve(base, entry);
  if (existsSync(path)) return { kind: statSync(path).isDirectory() ? 'folder' : 'file', path };
  return !isAbsolute(entry) && !entry.startsWith('.') && PACKAGE_NAME.test(entry)
    ? { kind: 'package', name: entry, from: base }
    : undefined;
}

/** The folders whose change may change the agents of `entries`; a package is not expected to change. */
export function watchedPaths(entries: readonly string[], base: string): readonly string[] {
  return entries.flatMap((entry) => {
    const source = agentSource(entry, base);
    return source && source.kind !== 'package' ? [source.path] : [];
  });
}

/** A path that a message can show: as it was written when that is clear, else whole. */
export const shownEntry = (entry: string, base: string): string => (isAbsolute(entry) ? entry : join(base, entry));
