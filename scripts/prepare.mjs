import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** What every command does first. Plain Node: it runs before anything is installed. */

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
const dist = join(root, 'dist');
const stampFile = join(dist, '.build-stamp');
const buildInfo = join(dist, '.tsbuildinfo');
/** Endings of what the build makes of a .ts file. */
const BUILT = /\.(js(\.map)?|d\.ts)$/;
const SOURCES = ['apps', 'libs', 'agents'];
const INPUTS = ['tsconfig.json', 'tsconfig.build.json', 'package-lock.json'];

/** Ends the process with one line. */
export function fail(message) {
  process.stderr.write(`chorus: ${message}\n`);
  process.exit(1);
}

/** Node must be what package.json says; older ones fail later and unintelligibly. */
export function checkNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major < 20 || (major === 20 && minor < 19)) fail(`Node ${process.versions.node} is too old: install Node 20.19 or newer`);
}

/** Installs what the lockfile names and node_modules has not. */
export function ensureInstalled() {
  const missing = missingPackages();
  if (missing.length === 0) return;
  const absent = !existsSync(join(root, 'node_modules'));
  console.error(absent ? 'Installing packages (once) …' : `Installing ${missing.length} packages that changed …`);
  // `ci` begins with deleting node_modules: right for a fresh clone, a minute lost after a pull that changed one version.
  const { status } = npm(absent ? ['ci'] : ['install']);
  if (status !== 0) fail('npm could not install the packages: see above, then try again (npm ci)');
}

/** Builds if the sources are not those of the last build. False when the build reported errors. */
export function ensureBuilt() {
  return stamp() === readStamp() || build();
}

/** Builds; false when there were errors, which were printed. */
export function build() {
  const wanted = stamp();
  if (readStamp() === undefined) rmSync(buildInfo, { force: true });
  console.error('Building …');
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const { status } = spawnSync(process.execPath, [tsc, '-p', 'tsconfig.build.json'], { cwd: root, stdio: ['ignore', 2, 2] });
  removeOrphans(dist);
  if (status !== 0 || !bundleProbe()) {
    rmSync(stampFile, { force: true });
    return false;
  }
  writeFileSync(stampFile, wanted);
  return true;
}

/** The prober as one file without dependencies, to be copied beside any agent. */
function bundleProbe() {
  const entry = join(dist, 'apps', 'cli', 'src', 'probe', 'standalone.js');
  const esbuild = join(root, 'node_modules', 'esbuild', 'bin', 'esbuild');
  const options = [
    '--bundle',
    '--platform=node',
    '--target=node20',
    '--format=esm',
    '--log-level=warning',
    '--banner:js=#!/usr/bin/env node',
  ];
  const args = [entry, ...options, `--outfile=${join(dist, 'probe.mjs')}`];
  return spawnSync(esbuild, args, { cwd: root, stdio: ['ignore', 2, 2] }).status === 0;
}

function npm(args) {
  const options = { cwd: root, stdio: ['ignore', 2, 2] };
  // Errors only: tools of the tool chain warn of Node versions that they work on all the same.
  const all = [...args, '--loglevel=error'];
  const cli = process.env.npm_execpath;
  return cli?.endsWith('.js') ? spawnSync(process.execPath, [cli, ...all], options) : spawnSync('npm', all, options);
}

function missingPackages() {
  const wanted = readLock(join(root, 'package-lock.json'));
  const installed = readLock(join(root, 'node_modules', '.package-lock.json')) ?? {};
  if (wanted === undefined) fail('package-lock.json is missing or not JSON: restore it (git checkout package-lock.json)');
  const needed = Object.entries(wanted).filter(
    ([path, entry]) => path !== '' && !entry.optional && !entry.devOptional && !entry.link,
  );
  return needed.filter(([path, entry]) => installed[path]?.version !== entry.version).map(([path]) => path);
}

function readLock(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).packages;
  } catch {
    return undefined;
  }
}

function readStamp() {
  return existsSync(stampFile) ? readFileSync(stampFile, 'utf8') : undefined;
}

function stamp() {
  const hash = createHash('sha256').update(process.versions.node.split('.')[0]);
  for (const file of [...INPUTS.map((name) => join(root, name)), ...SOURCES.flatMap((folder) => sourcesIn(join(root, folder)))]) {
    hash.update(relative(root, file)).update('\0').update(readFileSync(file)).update('\0');
  }
  return hash.digest('hex');
}

function sourcesIn(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return path === join(root, 'libs', 'testing') ? [] : sourcesIn(path);
      return /\.ts$/.test(entry.name) && !/\.spec(-support)?\.ts$/.test(entry.name) ? [path] : [];
    });
}

/** A deleted source must not live on in dist: a worker would still load the agent. */
function removeOrphans(folder) {
  if (!existsSync(folder)) return;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) removeOrphans(path);
    else if (BUILT.test(entry.name) && !existsSync(join(root, relative(dist, path).replace(BUILT, '.ts')))) rmSync(path);
  }
}
