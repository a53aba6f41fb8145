import { spawn, spawnSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../prepare.mjs';

/** The official compatibility kit, at the commit that the results are of. */
const REPOSITORY = 'https://github.com/a2aproject/a2a-tck';
const BRANCH = '1.0-dev';
const COMMIT = '357c4a87afa2818731590647cccbea31c31733a2';

const CACHE = join(root, '.chorus', 'conformance');
const RUN_MS = 15 * 60_000;

/**
 * The kit's folder and its Python, in a virtual environment of its own. Clones the pinned commit unless `checkout` names a
 * folder that has the kit. Throws when there is no git, no Python 3.11 or no way to the registries.
 */
export function prepareKit(checkout) {
  const folder = checkout ?? clone();
  if (!existsSync(join(folder, 'run_tck.py'))) throw new Error(`${folder} is no checkout of ${REPOSITORY}`);
  const commit = run('git', ['-C', folder, 'rev-parse', 'HEAD']).trim();
  const environment = join(CACHE, `venv-${commit.slice(0, 12)}`);
  const python = join(environment, process.platform === 'win32' ? 'Scripts/python.exe' : 'bin/python');
  if (spawnSync(python, ['-c', 'import pytest, grpc, httpx, tck']).status !== 0) {
    console.error('Installing the kit (once) …');
    rmSync(environment, { recursive: true, force: true });
    run(pythonProgram(), ['-m', 'venv', environment]);
    run(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', folder]);
  }
  return { folder, python, source: { repository: REPOSITORY, branch: BRANCH, commit } };
}

/** Runs all of the kit against the agent at `url`; resolves with what it found, failures included. */
export async function runKit({ folder, python }, url) {
  rmSync(join(folder, 'reports'), { recursive: true, force: true });
  const child = spawn(python, ['run_tck.py', '--sut-host', url], { cwd: folder, stdio: ['ignore', 2, 2] });
  const timer = setTimeout(() => child.kill('SIGKILL'), RUN_MS);
  await new Promise((resolve, reject) => child.once('close', resolve).once('error', reject));
  clearTimeout(timer);
  return JSON.parse(run(python, [join(import.meta.dirname, 'kit-report.py'), join(folder, 'reports')]));
}

function clone() {
  const folder = join(CACHE, `a2a-tck-${COMMIT.slice(0, 12)}`);
  if (existsSync(join(folder, 'run_tck.py'))) return folder;
  console.error(`Cloning ${REPOSITORY} (once) …`);
  rmSync(folder, { recursive: true, force: true });
  run('git', ['clone', '--quiet', '--branch', BRANCH, REPOSITORY, folder]);
  run('git', ['-C', folder, 'checkout', '--quiet', COMMIT]);
  return folder;
}

function pythonProgram() {
  const isNewEnough = 'import sys; sys.exit(sys.version_info < (3, 11))';
  const found = ['python3', 'python', 'python3.13', 'python3.12', 'python3.11'].find(
    (name) => spawnSync(name, ['-c', isNewEnough]).status === 0,
  );
  if (found === undefined) throw new Error('The kit needs Python 3.11 or newer: install it and try again');
  return found;
}

function run(command, args) {
  const { status, stdout, stderr, error } = spawnSync(command, args, { encoding: 'utf8', maxBuffer: 1e8 });
  if (status === 0) return stdout;
  throw new Error(`${command} ${args.join(' ')} failed: ${error?.message ?? stderr.trim()}`);
}
