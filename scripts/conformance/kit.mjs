import { spawn } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../prepare.mjs';
import { virtualEnvironment } from '../python.mjs';
import { runOrThrow } from '../run-or-throw.mjs';

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
  const commit = runOrThrow('git', ['-C', folder, 'rev-parse', 'HEAD']).trim();
  const python = virtualEnvironment(join(CACHE, `venv-${commit.slice(0, 12)}`), ['pytest', 'grpc', 'httpx', 'tck'], [folder]);
  return { folder, python, source: { repository: REPOSITORY, branch: BRANCH, commit } };
}

/** Runs all of the kit against the agent at `url`; resolves with what it found, failures included. */
export async function runKit({ folder, python }, url) {
  rmSync(join(folder, 'reports'), { recursive: true, force: true });
  const child = spawn(python, ['run_tck.py', '--sut-host', url], { cwd: folder, stdio: ['ignore', 2, 2] });
  const timer = setTimeout(() => child.kill('SIGKILL'), RUN_MS);
  await new Promise((resolve, reject) => child.once('close', resolve).once('error', reject));
  clearTimeout(timer);
  return JSON.parse(runOrThrow(python, [join(import.meta.dirname, 'kit-report.py'), join(folder, 'reports')]));
}

function clone() {
  const folder = join(CACHE, `a2a-tck-${COMMIT.slice(0, 12)}`);
  if (existsSync(join(folder, 'run_tck.py'))) return folder;
  console.error(`Cloning ${REPOSITORY} (once) …`);
  rmSync(folder, { recursive: true, force: true });
  runOrThrow('git', ['clone', '--quiet', '--branch', BRANCH, REPOSITORY, folder]);
  runOrThrow('git', ['-C', folder, 'checkout', '--quiet', COMMIT]);
  return folder;
}
