import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { root } from './prepare.mjs';

/** After its results are written, Jest ends unless a suite left something open. */
const EXIT_TIMEOUT_MS = 15_000;
const LEFT_OPEN = /did not exit one second after/;
/** Jest gives a worker half a second to end, which a busy machine may take: a suspicion, not yet a fault. */
const SLOW_WORKER = /worker process has failed to exit gracefully/;

/**
 * Runs Jest with `args`; resolves with counts, the names of skipped suites, each test's outcome, and whether something was left open,
 * or may have been.
 * `onStart` gets the child, so that the caller can end it.
 */
export async function runJest(args, onStart) {
  const folder = mkdtempSync(join(tmpdir(), 'chorus-jest-'));
  const output = join(folder, 'results.json');
  const flags = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];
  const jest = join(root, 'node_modules', 'jest', 'bin', 'jest.js');
  const child = spawn(process.execPath, [...flags, jest, '--passWithNoTests', '--json', `--outputFile=${output}`, ...args], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'pipe'],
  });
  onStart(child);
  let leftOpen = false;
  let slowWorker = false;
  child.stderr.on('data', (chunk) => {
    leftOpen ||= LEFT_OPEN.test(chunk.toString());
    slowWorker ||= SLOW_WORKER.test(chunk.toString());
    process.stderr.write(chunk);
  });
  const watch = setInterval(() => {
    if (!existsSync(output)) return;
    clearInterval(watch);
    const timer = setTimeout(() => {
      leftOpen = true;
      child.kill('SIGKILL');
    }, EXIT_TIMEOUT_MS);
    child.once('exit', () => clearTimeout(timer));
  }, 500);
  const code = await new Promise((resolve) => child.once('close', resolve));
  clearInterval(watch);
  try {
    return { ...summary(output, code), leftOpen, slowWorker };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function summary(output, code) {
  if (!existsSync(output)) return { passed: 0, failed: code === 0 ? 0 : 1, skipped: 0, skippedSuites: [], tests: [] };
  const results = JSON.parse(readFileSync(output, 'utf8'));
  const skippedSuites = results.testResults.flatMap(({ assertionResults }) =>
    assertionResults.filter(({ status }) => status === 'pending').map(({ ancestorTitles, title }) => ancestorTitles[0] ?? title),
  );
  const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
  return {
    passed: results.numPassedTests,
    // Jest also fails for reasons that no test shows, as a global set-up that throws.
    failed: failed === 0 && code !== 0 && code !== null ? 1 : failed,
    skipped: results.numPendingTests + results.numTodoTests,
    skippedSuites: [...new Set(skippedSuites)],
    tests: results.testResults.flatMap(({ name, assertionResults }) =>
      assertionResults.map(({ fullName, status }) => ({ file: relative(root, name), test: fullName, status })),
    ),
  };
}
