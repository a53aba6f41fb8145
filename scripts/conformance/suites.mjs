import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../prepare.mjs';

/** Runs the suites in `files` by `npm test`'s own script; resolves with the outcome of each of their tests, in order. */
export async function runSuites(files) {
  const folder = mkdtempSync(join(tmpdir(), 'chorus-suites-'));
  const results = join(folder, 'results.json');
  const patterns = files.map((file) => `^.*/${file.replaceAll('.', '\\.')}$`);
  try {
    const child = spawn(process.execPath, [join(root, 'scripts', 'test.mjs'), '--results', results, ...patterns], {
      cwd: root,
      stdio: ['ignore', 2, 2],
    });
    await new Promise((resolve, reject) => child.once('close', resolve).once('error', reject));
    const tests = JSON.parse(readFileSync(results, 'utf8'));
    return tests
      .map(({ file, test, status }) => ({ file, test, status: status === 'pending' ? 'skipped' : status }))
      .sort((a, b) => (a.file < b.file ? -1 : a.file > b.file ? 1 : 0));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
