import { readdirSync, statSync, type Stats } from 'node:fs';
import { join } from 'node:path';

const EVERY_MS = 300;
const MOST_FILES = 10_000;

export interface FileWatch {
  close(): void;
}

/**
 * Calls `onChange` after a file below `paths` was changed, added or removed and none has been for a moment; once at a time, and again
 * for what changed meanwhile. Folders that are hidden or called node_modules are left out. It looks three times a second: the
 * notifications of file systems differ, and shared folders of containers have none.
 */
export function watchFiles(paths: readonly string[], onChange: () => Promise<void>, everyMs = EVERY_MS): FileWatch {
  let known = stateOf(paths);
  let last = known;
  let busy = false;
  const look = async (): Promise<void> => {
    if (busy) return;
    const now = stateOf(paths);
    const settled = now === last;
    last = now;
    if (!settled || now === known) return;
    known = now;
    busy = true;
    await onChange().finally(() => (busy = false));
  };
  const timer = setInterval(() => void look(), everyMs);
  timer.unref();
  return { close: () => clearInterval(timer) };
}

/** Names, sizes and times of all files, as one text. */
function stateOf(paths: readonly string[]): string {
  const files: string[] = [];
  for (const path of paths) collect(path, files);
  return files.join('\n');
}

function collect(path: string, files: string[]): void {
  const stats = statsOf(path);
  if (!stats || files.length >= MOST_FILES) return;
  if (!stats.isDirectory()) {
    files.push(`${path} ${stats.size} ${stats.mtimeMs} ${stats.ino}`);
    return;
  }
  for (const name of namesIn(path)) if (!name.startsWith('.') && name !== 'node_modules') collect(join(path, name), files);
}

/** Undefined for what has just been removed. */
function statsOf(path: string): Stats | undefined {
  return statSync(path, { throwIfNoEntry: false });
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}
