import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { runOrThrow } from './run-or-throw.mjs';

/** A Python of at least 3.11. Throws when there is none on PATH. */
export function pythonProgram() {
  const isNewEnough = 'import sys; sys.exit(sys.version_info < (3, 11))';
  const found = ['python3', 'python', 'python3.13', 'python3.12', 'python3.11'].find(
    (name) => spawnSync(name, ['-c', isNewEnough]).status === 0,
  );
  if (found === undefined) throw new Error('Python 3.11 or newer is not on PATH: install it and try again');
  return found;
}

/**
 * The Python of the virtual environment `folder`, which is made, with `packages` (arguments of pip), unless it can import `modules`
 * already. Throws when there is no Python, or no way to its packages.
 */
export function virtualEnvironment(folder, modules, packages) {
  const python = join(folder, process.platform === 'win32' ? 'Scripts/python.exe' : 'bin/python');
  if (spawnSync(python, ['-c', `import ${modules.join(', ')}`]).status === 0) return python;
  rmSync(folder, { recursive: true, force: true });
  runOrThrow(pythonProgram(), ['-m', 'venv', folder]);
  runOrThrow(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...packages]);
  return python;
}
